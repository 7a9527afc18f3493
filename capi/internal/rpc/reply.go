package rpc

import (
	"bytes"
	"sync"

	"eryxsh/capi/internal/wire"
)

// Reply is an answer: a tag, and a body that is CBOR or raw bytes.
//
// Raw bytes may be written only when the caller has room for them, straight
// there; until then the reply keeps the lock of the sandbox they come from.
type Reply struct {
	Tag  wire.Tag
	body *bytes.Buffer      // CBOR
	size int                // of raw bytes
	fill func([]byte) error // writes them
	held *sandbox
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keep is the size up to which a buffer goes back to the pool.
const keep = 64 << 10

// Body gives the CBOR body; nil if the reply is raw bytes. It is valid until Release.
func (r *Reply) Body() []byte {
	if r.body == nil {
		return nil
	}
	return r.body.Bytes()
}

// Len is the number of bytes of the body, raw or not.
func (r *Reply) Len() int {
	if r.body != nil {
		return r.body.Len()
	}
	return r.size
}

// CopyTo writes the body into dst, which has Len bytes.
func (r *Reply) CopyTo(dst []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	if r.body != nil {
		copy(dst, r.body.Bytes())
		return nil
	}
	if r.fill != nil {
		return r.fill(dst)
	}
	return nil
}

// Release gives the body's memory and the sandbox's lock back. The reply is empty afterwards.
func (r *Reply) Release() {
	if r.body != nil && r.body.Cap() <= keep {
		r.body.Reset()
		buffers.Put(r.body)
	}
	if r.held != nil {
		r.held.leave()
	}
	*r = Reply{Tag: r.Tag}
}

// raw makes a reply out of bytes that nobody changes any more.
func raw(data []byte) Reply {
	return Reply{Tag: wire.TagBytes, size: len(data), fill: func(dst []byte) error {
		copy(dst, data)
		return nil
	}}
}

// encoded makes a reply out of a body that wire can encode; size is a guess of its length.
func encoded(tag wire.Tag, body any, size int) (Reply, error) {
	b := buffers.Get().(*bytes.Buffer)
	b.Grow(size)
	if err := wire.Append(b, body); err != nil {
		return Reply{}, err
	}
	return Reply{Tag: tag, body: b}, nil
}

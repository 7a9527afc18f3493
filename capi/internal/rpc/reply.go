package rpc

import (
	"bytes"
	"sync"

	"eryxsh/capi/internal/wire"
)

// Reply is an answer: a tag, and a body that is either CBOR or raw pieces.
type Reply struct {
	Tag    wire.Tag
	body   *bytes.Buffer
	pieces [][]byte
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
	n := 0
	for _, p := range r.pieces {
		n += len(p)
	}
	return n
}

// CopyTo writes the body into dst, which has room for Len bytes.
func (r *Reply) CopyTo(dst []byte) {
	if r.body != nil {
		copy(dst, r.body.Bytes())
		return
	}
	for _, p := range r.pieces {
		dst = dst[copy(dst, p):]
	}
}

// Release gives the body's memory back. The reply is empty afterwards.
func (r *Reply) Release() {
	if r.body != nil && r.body.Cap() <= keep {
		r.body.Reset()
		buffers.Put(r.body)
	}
	r.body, r.pieces = nil, nil
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

package wire

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/fxamacker/cbor/v2"
)

// Blob is a parameter or a result whose bytes may be many. As a parameter it is
// only lent for the duration of the call; as a result its pieces are copied
// straight into the caller's memory.
type Blob []byte

var (
	encoding = must(cbor.EncOptions{
		Sort:          cbor.SortBytewiseLexical,
		NilContainers: cbor.NilContainerAsEmpty,
		OmitEmpty:     cbor.OmitEmptyGoValue,
	}.UserBufferEncMode())
	decoding = must(cbor.DecOptions{
		UTF8:               cbor.UTF8DecodeInvalid,
		ByteStringToString: cbor.ByteStringToStringAllowed,
		DupMapKey:          cbor.DupMapKeyEnforcedAPF,
		IndefLength:        cbor.IndefLengthForbidden,
		TagsMd:             cbor.TagsForbidden,
		MaxArrayElements:   1 << 24,
		MaxMapPairs:        1 << 24,
		MaxNestedLevels:    8,
		ExtraReturnErrors:  cbor.ExtraDecErrorUnknownField,
	}.DecMode())
)

func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}

// Append encodes v behind buf.
func Append(buf *bytes.Buffer, v any) error {
	if q, ok := v.(quickBody); ok {
		buf.Write(q.appendTo(buf.AvailableBuffer()))
		return nil
	}
	return encoding.MarshalToBuffer(v, buf)
}

// Params decodes the parameters of a request into a pointer to their struct.
// Unknown keys, wrong types and trailing bytes are errors.
func Params(data []byte, into any) error {
	if q, ok := into.(quickParams); ok {
		if quick(data, q) {
			return nil
		}
		reflect.ValueOf(into).Elem().SetZero()
	}
	return decoding.Unmarshal(data, into)
}

// Number takes the method's number off the front of a request.
func Number(request []byte) (number int, rest []byte, err error) {
	if len(request) == 0 {
		return 0, nil, fmt.Errorf("an empty request")
	}
	switch b := request[0]; {
	case b < 24:
		return int(b), request[1:], nil
	case b == 24 && len(request) > 1:
		return int(request[1]), request[2:], nil
	case b == 25 && len(request) > 2:
		return int(request[1])<<8 | int(request[2]), request[3:], nil
	}
	return 0, nil, fmt.Errorf("a request that does not begin with a method's number")
}

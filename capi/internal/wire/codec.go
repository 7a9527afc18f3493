package wire

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

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
	err := decoding.Unmarshal(data, into)
	var wrong *cbor.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return mistyped(reflect.TypeOf(into).Elem(), wrong)
	}
	return err
}

// mistyped says in Python's words which parameter has a value of another type.
func mistyped(params reflect.Type, wrong *cbor.UnmarshalTypeError) error {
	given, wants := wrong.CBORType, wrong.GoType
	for _, row := range [][2]string{{"text string", "str"}, {"byte string", "bytes"}, {"integer", "int"}, {"primitives", "bool, float or None"}, {"array", "list"}, {"map", "dict"}} {
		if strings.HasSuffix(given, row[0]) {
			given = row[1]
			break
		}
	}
	for _, row := range [][2]string{{"int", "an int of 64 bits"}, {"[]uint8", "bytes"}, {"wire.Blob", "bytes"}, {"string", "a str"}, {"bool", "a bool"}, {"[]", "a list"}, {"map", "a dict"}} {
		if strings.HasPrefix(wants, row[0]) {
			wants = row[1]
			break
		}
	}
	text := fmt.Sprintf("%s is needed, not %s", wants, given)
	if number, ok := strings.CutPrefix(wrong.StructFieldName, params.String()+"."); ok {
		for i := range params.NumField() {
			f := params.Field(i)
			if tag, _, _ := strings.Cut(f.Tag.Get("cbor"), ","); tag == number {
				return &TypeError{fmt.Sprintf("%s: %s", cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name)), text)}
			}
		}
	}
	return wrong
}

// TypeError is a parameter of another type than its method has.
type TypeError struct{ text string }

// Error names the parameter, and says in Python's words what is needed.
func (e *TypeError) Error() string { return e.text }

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

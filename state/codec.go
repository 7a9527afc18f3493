package state

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// Strings of the shell are bytes: they travel as CBOR byte strings.
var encMode = must(cbor.EncOptions{Sort: cbor.SortCoreDeterministic, ShortestFloat: cbor.ShortestFloat16, NaNConvert: cbor.NaNConvertNone,
	InfConvert: cbor.InfConvertFloat16, IndefLength: cbor.IndefLengthForbidden, String: cbor.StringToByteString, TagsMd: cbor.TagsForbidden}.UserBufferEncMode())

// maxItems bounds the elements of one array or map; big things are records of their own.
const maxItems = 1 << 24

// maxNest bounds the nesting of one record: a hostile one must not use the stack up.
const maxNest = 64

var decMode = must(cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
	MaxNestedLevels: maxNest, MaxArrayElements: maxItems, MaxMapPairs: maxItems, ByteStringToString: cbor.ByteStringToStringAllowed,
	UTF8: cbor.UTF8DecodeInvalid}.DecMode())

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// decode reads one value, refusing bytes after it.
func decode(data []byte, into any) (err error) {
	defer func() { // a decoder of foreign bytes must not take the host down
		if x := recover(); x != nil {
			err = fmt.Errorf("%v", x)
		}
	}()
	return decMode.Unmarshal(data, into)
}

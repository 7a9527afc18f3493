package jq

import "math"

// Kind is the type of a Value, in jq's sort order.
type Kind uint8

// The kinds. The last three never reach a user.
const (
	None Kind = iota
	Null
	False
	True
	Number
	String
	Array
	Object
	Closure // R is the address of the code, N the scope it runs in
	Break   // an error on its way to label R
	Saved   // registers put aside by opPathBegin
)

// Value is a JSON value. Arrays and objects are nodes of the heap, and R is
// their number; numbers that lose something as a double keep their text in S.
type Value struct {
	K Kind    `cbor:"1,keyasint,omitempty"`
	R int32   `cbor:"2,keyasint,omitempty"`
	N float64 `cbor:"3,keyasint"`
	S string  `cbor:"4,keyasint,omitempty"`
}

var (
	null  = Value{K: Null}
	empty = Value{}
)

func num(n float64) Value { return Value{K: Number, N: n} }
func str(s string) Value  { return Value{K: String, S: s} }

func boolean(b bool) Value {
	if b {
		return Value{K: True}
	}
	return Value{K: False}
}

func (v Value) truthy() bool { return v.K > False }

// kindName is what `type` says.
func (v Value) kindName() string {
	switch v.K {
	case Null:
		return "null"
	case False, True:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "invalid"
}

// same reports that two values are one, as path expressions need it: containers by identity.
func same(a, b Value) bool {
	switch {
	case a.K != b.K:
		return false
	case a.K >= Array:
		return a.R == b.R
	case a.K == Number:
		return a.N == b.N || math.IsNaN(a.N) && math.IsNaN(b.N)
	}
	return a.S == b.S
}

// clampInt makes an int of a number: bounds instead of overflow, 0 for NaN.
func clampInt(n float64) int {
	switch {
	case math.IsNaN(n):
		return 0
	case n >= math.MaxInt32:
		return math.MaxInt32
	case n <= math.MinInt32:
		return math.MinInt32
	}
	return int(n)
}

// Package wire is what the two sides of the border say to each other: the
// table of methods, their parameters and results, the kinds of answers and the
// kinds of errors. It is data; package rpc acts on it.
//
// # A request
//
// A request is the method's number as a CBOR unsigned integer, then one CBOR
// map from small integers to values: parameter n of the table has key n. An
// absent key is the parameter's zero value. One parameter of a method may be a
// Blob; a large one travels beside the request, so that it is not copied twice.
//
// # An answer
//
// An answer is a tag and a body. The tag says what the body is: the value of a
// method, raw bytes, an error, or one of the ways a slice of a run can end (see
// Tag). Bodies are CBOR maps from small integers to values, a list is an array,
// a field that holds its zero value is absent.
//
// # Text
//
// A shell's names and values are bytes that are nearly always UTF-8. They
// travel as CBOR text strings whether or not they are valid UTF-8, and Python
// decodes them with surrogateescape, as it does for file names.
//
// # One source
//
// Methods, structs and kinds are written here once. `go run
// ./capi/internal/wire/gen` writes python/eryxsh/_wire.py, capi/WIRE.md and
// fingerprint.go from them; a test and `gen -check` fail when they are stale.
// The fingerprint lets a library and a Python package that do not belong
// together say so when they meet, instead of misreading each other.
package wire

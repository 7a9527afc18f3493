module eryxsh

go 1.26.0

require (
	github.com/fxamacker/cbor/v2 v2.9.6
	github.com/google/go-cmp v0.7.0
	mvdan.cc/sh/v3 v3.14.1
)

require github.com/x448/float16 v0.8.4 // indirect

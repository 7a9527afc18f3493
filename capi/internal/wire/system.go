package wire

// PingParams are those of system.ping.
type PingParams struct {
	Payload Blob  `cbor:"1,keyasint" doc:"comes back as it is"`
	Process int64 `cbor:"2,keyasint,omitempty" doc:"the process that does it: a handle of it, or 0 for the one that asks"`
}

// Version is what the library is.
type Version struct {
	Version     string `cbor:"1,keyasint,omitempty" doc:"of the package it was built for"`
	Go          string `cbor:"2,keyasint,omitempty" doc:"of the Go toolchain"`
	Fingerprint string `cbor:"3,keyasint,omitempty" doc:"of the method table"`
}

// Stats are counters of the Go runtime and of the border.
type Stats struct {
	Heap       int64 `cbor:"1,keyasint,omitempty" doc:"bytes of live and not yet swept objects"`
	System     int64 `cbor:"2,keyasint,omitempty" doc:"bytes asked of the operating system"`
	Released   int64 `cbor:"3,keyasint,omitempty" doc:"bytes of those given back"`
	Goroutines int64 `cbor:"4,keyasint,omitempty" doc:"now, this call's included"`
	Sandboxes  int64 `cbor:"5,keyasint,omitempty" doc:"open handles"`
	Calls      int64 `cbor:"6,keyasint,omitempty" doc:"requests answered since the library was loaded"`
	Collected  int64 `cbor:"7,keyasint,omitempty" doc:"garbage collections"`
}

// GCParams are those of system.gc and of what describes the library.
type GCParams struct {
	Process int64 `cbor:"1,keyasint,omitempty" doc:"the process that does it: a handle of it, or 0 for the one that asks"`
}

// ShutdownParams are those of system.shutdown.
type ShutdownParams struct {
	Wait int64 `cbor:"1,keyasint,omitempty" doc:"ns to wait for calls of other threads"`
}

// MisbehaveParams are those of system.test.
type MisbehaveParams struct {
	Op      string `cbor:"1,keyasint" doc:"enable, panic, goroutine_panic, index, sleep, again, bytes, file, kind"`
	N       int64  `cbor:"2,keyasint,omitempty" doc:"ns, bytes or a number"`
	Process int64  `cbor:"3,keyasint,omitempty" doc:"the process that does it: a handle of it, or 0 for the one that asks"`
}

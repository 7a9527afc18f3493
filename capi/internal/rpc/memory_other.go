//go:build !linux

package rpc

import "math"

func addressSpace() int64 { return 0 }

func addressLimit() int64 { return math.MaxInt64 }

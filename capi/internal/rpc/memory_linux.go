package rpc

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// addressSpace is how much address space the process has; 0 if nobody knows.
func addressSpace() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	var pages int64
	if err == nil {
		_, err = fmt.Sscan(string(data), &pages)
	}
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// addressLimit is how much it may have.
func addressLimit() int64 {
	var space syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &space); err != nil || space.Cur > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(space.Cur)
}

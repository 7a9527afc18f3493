package store

import "eryxsh/core/fault"

// damaged says what is wrong with the bytes of a store.
func damaged(format string, args ...any) error {
	return fault.New(fault.State, "store", "", format, args...)
}

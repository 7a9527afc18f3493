package cmdtest

import "eryxsh/vfs"

// Pipe is refused: a fake child answers at once, before anything could be written to it.
func (s *system) Pipe() (r, w int, err error) {
	s.refused = true
	return 0, 0, vfs.ENOTSUP
}

package vfs

// Errno is a POSIX error number under its Linux value. Every operation of an FS
// returns this type of error and lists which; the text is that of strerror(3).
type Errno uint8

// The errors the operations may return, and those their callers need beside.
const (
	EPERM        Errno = 1
	ENOENT       Errno = 2
	ESRCH        Errno = 3
	EINTR        Errno = 4
	EIO          Errno = 5
	ENXIO        Errno = 6
	E2BIG        Errno = 7
	ENOEXEC      Errno = 8
	EBADF        Errno = 9
	ECHILD       Errno = 10
	EAGAIN       Errno = 11
	EACCES       Errno = 13
	EBUSY        Errno = 16
	EEXIST       Errno = 17
	EXDEV        Errno = 18
	ENODEV       Errno = 19
	ENOTDIR      Errno = 20
	EISDIR       Errno = 21
	EINVAL       Errno = 22
	EMFILE       Errno = 24
	ENOTTY       Errno = 25
	ETXTBSY      Errno = 26
	EFBIG        Errno = 27
	ENOSPC       Errno = 28
	ESPIPE       Errno = 29
	EROFS        Errno = 30
	EMLINK       Errno = 31
	EPIPE        Errno = 32
	ENAMETOOLONG Errno = 36
	ENOTEMPTY    Errno = 39
	ELOOP        Errno = 40
	ENOTSUP      Errno = 95
	EDQUOT       Errno = 122
)

// Error returns the text of strerror(3).
func (e Errno) Error() string {
	switch e {
	case EPERM:
		return "Operation not permitted"
	case ENOENT:
		return "No such file or directory"
	case ESRCH:
		return "No such process"
	case EINTR:
		return "Interrupted system call"
	case EIO:
		return "Input/output error"
	case ENXIO:
		return "No such device or address"
	case E2BIG:
		return "Argument list too long"
	case ENOEXEC:
		return "Exec format error"
	case EBADF:
		return "Bad file descriptor"
	case ECHILD:
		return "No child processes"
	case EAGAIN:
		return "Resource temporarily unavailable"
	case EACCES:
		return "Permission denied"
	case EBUSY:
		return "Device or resource busy"
	case EEXIST:
		return "File exists"
	case EXDEV:
		return "Invalid cross-device link"
	case ENODEV:
		return "No such device"
	case ENOTDIR:
		return "Not a directory"
	case EISDIR:
		return "Is a directory"
	case EINVAL:
		return "Invalid argument"
	case EMFILE:
		return "Too many open files"
	case ENOTTY:
		return "Inappropriate ioctl for device"
	case ETXTBSY:
		return "Text file busy"
	case EFBIG:
		return "File too large"
	case ENOSPC:
		return "No space left on device"
	case ESPIPE:
		return "Illegal seek"
	case EROFS:
		return "Read-only file system"
	case EMLINK:
		return "Too many links"
	case EPIPE:
		return "Broken pipe"
	case ENAMETOOLONG:
		return "File name too long"
	case ENOTEMPTY:
		return "Directory not empty"
	case ELOOP:
		return "Too many levels of symbolic links"
	case ENOTSUP:
		return "Operation not supported"
	case EDQUOT:
		return "Disk quota exceeded"
	}
	return "Unknown error"
}

package vfs

// Errno is a POSIX error number under its Linux value. It is the only error
// the package returns; its text is that of strerror(3).
type Errno uint8

// The errors the operations may return; each operation lists its own.
const (
	EPERM        Errno = 1
	ENOENT       Errno = 2
	EBADF        Errno = 9
	EACCES       Errno = 13
	EBUSY        Errno = 16
	EEXIST       Errno = 17
	EXDEV        Errno = 18
	ENOTDIR      Errno = 20
	EISDIR       Errno = 21
	EINVAL       Errno = 22
	EMFILE       Errno = 24
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

var errnoText = map[Errno]string{
	EPERM: "Operation not permitted", ENOENT: "No such file or directory", EBADF: "Bad file descriptor",
	EACCES: "Permission denied", EBUSY: "Device or resource busy", EEXIST: "File exists",
	EXDEV: "Invalid cross-device link", ENOTDIR: "Not a directory", EISDIR: "Is a directory",
	EINVAL: "Invalid argument", EMFILE: "Too many open files", ETXTBSY: "Text file busy",
	EFBIG: "File too large", ENOSPC: "No space left on device", ESPIPE: "Illegal seek",
	EROFS: "Read-only file system", EMLINK: "Too many links", EPIPE: "Broken pipe",
	ENAMETOOLONG: "File name too long", ENOTEMPTY: "Directory not empty",
	ELOOP: "Too many levels of symbolic links", ENOTSUP: "Operation not supported", EDQUOT: "Disk quota exceeded",
}

func (e Errno) Error() string { return errnoText[e] }

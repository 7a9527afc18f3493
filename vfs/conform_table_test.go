package vfs

// conformance is one suite for the tree and for a real directory. Each line of
// a script is an operation; what follows "->" is its outcome: an errno, or for
// the reading ones what they read. Without it the operation must succeed.
//
// "user N" runs what follows as user and group N.
var conformance = []struct{ name, script string }{
	{"paths", `
		mkdir d
		mkdir d/e
		creat d/e/f
		stat d//e///f -> file
		stat ./d/./e/../e/f -> file
		stat d/e/f/ -> ENOTDIR
		stat d/e/f/. -> ENOTDIR
		stat d/e/f/.. -> ENOTDIR
		stat d/e/f/g -> ENOTDIR
		stat d/e/ -> dir
		stat d/x/../e -> ENOENT
		stat d/x/ -> ENOENT
		stat $EMPTY -> ENOENT
		stat $255 -> ENOENT
		stat $256 -> ENAMETOOLONG
		stat $256/x -> ENAMETOOLONG
		stat d/e/f/$256 -> ENOTDIR
		creat $255
		mkdir $256 -> ENAMETOOLONG
		stat $LONG -> ENAMETOOLONG
		stat x/$256 -> ENOENT`},
	{"open", `
		open f r -> ENOENT
		open f w,creat
		open f w,creat,excl -> EEXIST
		open f r,dir -> ENOTDIR
		open f/ r -> ENOTDIR
		open f/ w,creat -> EISDIR
		open g/ w,creat -> EISDIR
		open g/ r -> ENOENT
		open x/g w,creat -> ENOENT
		open f/g w,creat -> ENOTDIR
		mkdir d
		open d r
		open d/ r,dir
		open d w -> EISDIR
		open d rw -> EISDIR
		open d r,trunc -> EISDIR
		open d r,creat -> EISDIR
		open d r,creat,excl -> EEXIST
		open d/ r,creat -> EISDIR
		open d/. r,creat -> EISDIR
		open . r,dir
		open .. r`},
	{"open empties", `
		write f 0 hello
		open f r
		size f -> 5
		open f w,trunc
		size f -> 0
		write f 0 hello
		open f w,creat,trunc
		size f -> 0
		write f 3 x
		read f -> \0\0\0x`},
	{"open and links", `
		creat f
		symlink f l
		symlink none dangling
		symlink d ld
		mkdir d
		open l r
		open l r,nofollow -> ELOOP
		open l r,nofollow,dir -> ENOTDIR
		open ld r,dir
		open ld/ r,nofollow
		open ld r,nofollow -> ELOOP
		open ld r,nofollow,dir -> ENOTDIR
		open dangling r -> ENOENT
		open dangling w,creat,excl -> EEXIST
		open l w,creat,excl -> EEXIST
		open dangling w,creat,nofollow -> ELOOP
		open dangling w,creat
		stat none -> file
		lstat dangling -> link
		symlink x/y deep
		open deep w,creat -> ENOENT
		symlink new/ slashed
		open slashed w,creat -> EISDIR
		symlink d/new below
		open below w,creat
		stat d/new -> file`},
	{"symbolic links", `
		mkdir a
		mkdir a/b
		creat a/b/f
		symlink a/b l
		symlink ../b a/b/up
		symlink f a/b/g
		readlink l -> a/b
		stat l -> dir
		lstat l -> link
		lstat l/ -> dir
		lstat l/. -> dir
		stat l/f -> file
		stat a/b/up/g -> file
		stat l/.. -> dir
		ls l/.. -> b
		lstat a/b/g -> link
		lstat a/b/g/ -> ENOTDIR
		readlink a/b -> EINVAL
		readlink l/ -> EINVAL
		readlink none -> ENOENT
		symlink $EMPTY e -> ENOENT
		symlink x l -> EEXIST
		symlink x a/ -> EEXIST
		symlink x new/ -> ENOENT
		symlink x none/new -> ENOENT
		symlink $LONG long -> ENAMETOOLONG
		symlink loop loop
		stat loop -> ELOOP
		lstat loop -> link
		stat loop/x -> ELOOP
		open loop w,creat -> ELOOP
		symlink two one
		symlink one two
		stat one -> ELOOP
		size a/b/g -> 0
		lsize l -> 3
		symlink /a/b abs
		stat abs/f -> file`},
	{"forty links", `
		creat f
		symlink f l1
		chain 40
		stat l40 -> file
		symlink l40 l41
		stat l41 -> ELOOP
		lstat l41 -> link`},
	{"mkdir", `
		mkdir d
		mkdir d -> EEXIST
		mkdir d/ -> EEXIST
		mkdir e/
		mkdir e/. -> EEXIST
		mkdir e/.. -> EEXIST
		mkdir x/y -> ENOENT
		mkdir x/. -> ENOENT
		creat f
		mkdir f -> EEXIST
		mkdir f/ -> EEXIST
		mkdir f/x -> ENOTDIR
		symlink none l
		mkdir l -> EEXIST
		mkdir l/ -> EEXIST
		nlink d -> 2
		mkdir d/a
		mkdir d/b
		nlink d -> 4
		creat d/f
		nlink d -> 4
		rmdir d/a
		nlink d -> 3`},
	{"rmdir", `
		mkdir d
		mkdir d/e
		rmdir d -> ENOTEMPTY
		rmdir d/e/
		rmdir d/. -> EINVAL
		rmdir d/./ -> EINVAL
		rmdir d/.. -> ENOTEMPTY
		rmdir none -> ENOENT
		rmdir none/ -> ENOENT
		creat f
		rmdir f -> ENOTDIR
		rmdir f/ -> ENOTDIR
		rmdir f/x -> ENOTDIR
		symlink d l
		rmdir l -> ENOTDIR
		rmdir l/ -> ENOTDIR
		rmdir d
		lstat l -> link
		stat l -> ENOENT`},
	{"unlink", `
		creat f
		mkdir d
		symlink d l
		unlink none -> ENOENT
		unlink none/ -> ENOENT
		unlink d -> EISDIR
		unlink d/ -> EISDIR
		unlink d/. -> EISDIR
		unlink d/.. -> EISDIR
		unlink f/ -> ENOTDIR
		unlink f/x -> ENOTDIR
		unlink l/ -> ENOTDIR
		unlink l
		stat d -> dir
		unlink f
		stat f -> ENOENT
		ls . -> d`},
	{"links", `
		write f 0 abc
		link f g
		nlink f -> 2
		write g 3 def
		read f -> abcdef
		unlink f
		nlink g -> 1
		read g -> abcdef
		link g g -> EEXIST
		link none x -> ENOENT
		mkdir d
		link d x -> EPERM
		link d g -> EEXIST
		link g d/h
		link g d/ -> EEXIST
		link g x/ -> ENOENT
		link g/ x -> ENOTDIR
		link g x/y -> ENOENT
		symlink g l
		link l m
		lstat m -> link
		symlink none n
		link n o
		nlink n -> ENOENT
		chmod 600 g
		mode d/h -> 600`},
	{"rename files", `
		write f 0 one
		write g 0 two
		rename f h
		stat f -> ENOENT
		read h -> one
		rename h g
		read g -> one
		ls . -> g
		rename none x -> ENOENT
		rename g none/x -> ENOENT
		rename g g/x -> ENOTDIR
		rename g/ x -> ENOTDIR
		rename g x/ -> ENOTDIR
		rename g g
		mkdir d
		rename g d -> EISDIR
		rename g d/ -> ENOTDIR
		rename d g -> ENOTDIR
		rename d/ g -> ENOTDIR
		rename . x -> EBUSY
		rename d/. x -> EBUSY
		rename d/.. x -> EBUSY
		rename g . -> EBUSY
		rename g d/.. -> EBUSY
		link g k
		rename g k
		ls . -> d g k
		nlink g -> 2
		rename g d/g
		nlink k -> 2`},
	{"rename directories", `
		mkdir a
		mkdir a/b
		mkdir a/b/c
		write a/b/c/f 0 deep
		mkdir z
		rename a/b z
		stat a/b -> ENOENT
		read z/c/f -> deep
		nlink a -> 2
		nlink z -> 3
		rename z z/x -> EINVAL
		rename z z/c/x -> EINVAL
		rename z/c z -> ENOTEMPTY
		rename z/c/f z -> ENOTEMPTY
		rename z/c a/
		ls z ->
		ls a -> f
		ls a/.. -> a z
		rename a/ new/
		read new/f -> deep
		mkdir new/c
		mkdir full
		creat full/x
		rename new full -> ENOTEMPTY
		rename full new -> ENOTEMPTY
		creat f
		rename new/c f -> ENOTDIR
		symlink new l
		rename l m
		lstat m -> link
		rename m/ k -> ENOTDIR
		rename new m -> ENOTDIR
		rename new new
		mkdir p
		mkdir p/q
		mkdir r
		rename p/q r
		nlink p -> 2
		ls p ->`},
	{"FIFOs", `
		mkfifo p
		stat p -> fifo
		mkfifo p -> EEXIST
		mkfifo q/ -> ENOENT
		truncate p 0 -> EINVAL
		link p q
		nlink p -> 2
		unlink p
		stat q -> fifo`},
	{"sizes and holes", `
		creat f
		truncate f 100000
		size f -> 100000
		write f 50000 x
		size f -> 100000
		truncate f 5
		truncate f 10
		read f -> \0\0\0\0\0\0\0\0\0\0
		write f 0 abcdefghij
		truncate f 3
		write f 5 z
		read f -> abc\0\0z
		truncate f 0
		write f 0 abcdefghijklmnop
		truncate f 10
		write f 12 z
		read f -> abcdefghij\0\0z
		truncate f 0
		read f ->
		write f 20000 end
		size f -> 20003
		truncate f -1 -> EINVAL
		mkdir d
		truncate d 0 -> EISDIR
		truncate none 0 -> ENOENT
		truncate f 1099511627776
		size f -> 1099511627776
		truncate f/ 0 -> ENOTDIR`},
	{"modes", `
		creat f
		chmod 4711 f
		mode f -> 4711
		chmod 7777 f
		mode f -> 7777
		mkdir d
		chmod 1777 d
		mode d -> 1777
		symlink f l
		chmod 600 l
		mode f -> 600
		chmod 600 none -> ENOENT
		chmod 600 f/ -> ENOTDIR
		access f rw
		access none f -> ENOENT
		times f 1000000001 2000000002
		mtime f -> 2000000002
		times none 1 1 -> ENOENT`},
	{"listing", `
		creat b
		creat a
		mkdir B
		creat .hidden
		creat a.b
		creat a-b
		ls . -> .hidden B a a-b a.b b
		ls B ->
		ls a -> ENOTDIR
		ls none -> ENOENT`},
	{"permission to search", `
		mkdir d
		creat d/f
		chmod 600 d
		user 1000
		stat d -> dir
		stat d/f -> EACCES
		stat d/none -> EACCES
		stat d/. -> EACCES
		stat d/.. -> EACCES
		ls d -> EACCES
		open d/f r -> EACCES
		rename d/f x -> EACCES
		user 0
		chmod 711 d
		user 1000
		stat d/f -> file
		stat d/none -> ENOENT
		ls d -> EACCES
		creat d/g -> EACCES
		mkdir d/g -> EACCES
		symlink x d/g -> EACCES
		mkfifo d/g -> EACCES
		unlink d/f -> EACCES
		unlink d/none -> ENOENT
		rmdir d/none -> ENOENT
		mkdir d/f -> EEXIST`},
	{"permission of files", `
		creat f
		chmod 640 f
		user 1000
		open f r -> EACCES
		open f w -> EACCES
		access f r -> EACCES
		access f f
		truncate f 0 -> EACCES
		chmod 777 f -> EPERM
		times f 1 1 -> EPERM
		touch f -> EACCES
		chown 1000 -1 f -> EPERM
		user 0
		chown -1 1000 f
		user 1000
		open f r
		open f rw -> EACCES
		open f r,trunc -> EACCES
		user 0
		chown 1000 -1 f
		user 1000
		open f rw
		chmod 400 f
		open f w -> EACCES
		open f r
		chmod 77 f
		open f r -> EACCES
		chown 1000 1000 f
		chown 1000 1001 f -> EPERM
		chown 1001 -1 f -> EPERM
		user 0
		access f rw
		chmod 666 f
		access f x -> EACCES
		user 1001
		open f rw
		touch f
		times f 5 5 -> EPERM`},
	{"permission to rename", `
		mkdir d
		chmod 777 d
		mkdir mine
		chmod 777 mine
		mkdir d/sub
		creat d/f
		creat mine/f
		user 1000
		rename d/f d/g
		rename d/g mine/g
		rename d/sub d/sub2
		rename d/sub2 mine/sub -> EACCES
		rename mine/f x -> EACCES
		user 0
		chmod 755 d
		user 1000
		rename mine/f d/f -> EACCES
		rename d/none mine/x -> ENOENT
		link mine/f d/x -> EPERM
		link mine/f mine/x -> EPERM
		creat mine/own
		link mine/own d/x -> EACCES
		link mine/own mine/x
		user 0
		chmod 666 mine/f
		user 1000
		link mine/f mine/y
		user 0
		chmod 4666 mine/f
		user 1000
		link mine/f mine/z -> EPERM`},
	{"sticky directories", `
		mkdir tmp
		chmod 1777 tmp
		creat tmp/theirs
		mkdir tmp/dir
		user 1000
		creat tmp/mine
		mkdir tmp/d
		unlink tmp/theirs -> EPERM
		rmdir tmp/dir -> EPERM
		rename tmp/theirs tmp/x -> EPERM
		rename tmp/mine tmp/theirs -> EPERM
		rename tmp/mine tmp/other
		unlink tmp/other
		rmdir tmp/d
		creat tmp/mine
		user 1001
		unlink tmp/mine -> EPERM
		user 0
		unlink tmp/mine
		chown 1000 1000 tmp
		user 1001
		creat tmp/a
		mkdir tmp/b
		user 1000
		unlink tmp/a
		rename tmp/b tmp/c
		rmdir tmp/c`},
	{"set-id bits", `
		mkdir d
		chown 0 1000 d
		chmod 2777 d
		user 1001
		creat d/f
		gid d/f -> 1000
		mkdir d/e
		gid d/e -> 1000
		mode d/e -> 2755
		user 0
		creat s
		chmod 6755 s
		chown 1 1 s
		mode s -> 755
		creat g
		chown 1000 -1 g
		user 1000
		chmod 2755 g
		mode g -> 755
		chmod 4755 g
		mode g -> 4755`},
}

// Package merge brings together what two sandboxes made of one state: files, and
// what the shell has. What only one side changed is taken, what both changed alike
// is taken once, and what excludes each other is a Conflict, which somebody decides.
//
// # Files
//
// The result begins as ours, and what theirs changed since the base is done to it:
// the trees share what did not change, so the cost follows their changes. Which
// things of two trees are the same is decided as git does, by path first: a file
// that has its old path is that file, whoever wrote it anew. What is gone from its
// path was renamed if the same inode has a path that the base has not for a file,
// and half of the content is as it was. Directories have an identity of their own
// (see pair): what one side adds to a directory goes with it where the other moved
// it, as with git's merge.directoryRenames=true. Git guesses from the files where a
// directory went, and calls it a conflict where they went to several with no
// majority ("directory rename split"); one that knows where it is needs no guess.
//
// Texts are merged line by line by git's rules (see Text), permissions and owners
// apart from the content. Hard links stay linked as far as the sides agree. Inodes
// that theirs made get numbers of ours.
//
// The order in which a tree is changed makes room for what comes: names that go
// away, directories that are removed, then what was moved, which waited in a
// directory without a name, then what is new.
//
// # The shell
//
// Variables with their attributes, functions and aliases are merged by name,
// options one by one, which cannot exclude each other. The working directory is no
// work: it is that of theirs only if ours stayed where it was. What the shell keeps
// changing by itself (compare.Own) stays as it is in ours.
package merge

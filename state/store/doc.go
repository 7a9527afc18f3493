// Package store keeps states in a place for bytes that is not its own: it makes
// objects, packs and refs of Worlds and Worlds of them, and leaves it to the
// caller to put the bytes away and to fetch them. FORMAT.md is the specification.
//
// An object is a kind and a body, known by the SHA-256 of both. Objects form
// trees: a commit leads to worlds; a world to the pages of its inodes (32 each)
// through a tree over their numbers, and to the parts of its machine's records;
// an inode to the chunks of a file through a tree over their indexes, or to the
// parts of a large directory, which are cut where the names say so. What did not
// change has the id it had, so a save writes the changed leaves and what is
// above them, small ones as deltas to what stood there.
//
// A pack has the objects that one save adds and an index of them; a ref has the
// id of a commit and the packs in which all that leads from it is found. Write
// packs, then replace the ref if it is still the one the save began with: what
// was saved is there or is not, and nobody's save is lost.
//
// A save does not walk the World. It goes through what differs between the
// World and its shadow, the files as they were when they were last saved or
// loaded, whose memory the two share, so its cost follows the changes.
package store

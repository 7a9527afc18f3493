// Package state turns Worlds into bytes and back. FORMAT.md is the
// specification of the bytes; a test compares its tables with this code.
//
// A blob is a magic, a header, a sequence of records and a checksum. The
// records are the World's own structures, encoded as they are: there is no
// second set of types that could drift. What cannot be a field is a list
// beside it: variables, functions, frames, and the chunks of files, which
// several worlds of one blob (the state and its named snapshots) share.
//
// Package codec, made from the tags of the structures (go generate
// ./state/internal/codec), writes and reads records; whatever it does not expect
// is left to the CBOR library, which is the reference. What states have in
// common is worked on once: a Loader keeps the scripts, variables and files it
// has read, and the files that sandboxes begin with stay beside their tree as
// they are written.
//
// Reading trusts nothing. Sizes are checked before memory is taken, every
// reference is checked before a World is given out, and the World a blob is to
// replace is not touched until the new one is complete.
package state

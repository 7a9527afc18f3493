// Package shell is the machine that runs bash.
//
// A Machine holds processes. A Process holds a stack of frames, and a frame is
// where one construct stands: which node of the script, which of its parts is
// next, what it must undo at its end. Step moves one process by one frame
// transition; nothing of a running script lives on the Go stack between two
// steps, so between any two steps the whole machine can be saved, forked, or
// loaded elsewhere. That is the package's promise, and all of its shape
// follows from it:
//
//   - Subshells, pipeline stages, $( ) and & jobs are processes. The scheduler
//     is a deterministic round robin whose quantum is counted in steps.
//   - Files, pipes and here-documents are open file descriptions, plain data
//     that processes share by number, as in Unix.
//   - A word that contains a substitution is expanded with a memo: expansion is
//     ordinary recursive Go, stops at the substitution, and starts again when
//     the child's output is known (package expand).
//   - Utilities run in turns (package cmd); codecs of Go libraries run on
//     fibers (fiber.go), the one place with goroutines.
//   - Tool calls, input and sleeps are answers of Run: the caller does what the
//     machine asks and comes back.
//
// Compiled code (code.go) is immutable and shared by forks; a frame's node is
// saved as its address: unit, node kind, start and end offset.
//
// DESIGN.md in this folder has the rejected designs.
package shell

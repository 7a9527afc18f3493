package wire

import "eryxsh/core/fault"

// The kinds that only the border itself has. They count down from the end of
// the byte so that they never meet the core's, which count up.
const (
	KindForked  fault.Kind = 255 // the handle belongs to a process this one was forked from
	KindClosing fault.Kind = 254 // the interpreter is ending
	KindRequest fault.Kind = 253 // a request that no package of this version sends
	KindType    fault.Kind = 252 // a parameter of another type than the method has
)

// KindRow is one kind of error.
type KindRow struct {
	Kind      fault.Kind
	Name      string
	Exception string // a class of _errors.py or a builtin; OSError picks its subclass by errno
	Doc       string
}

// Kinds lists every kind of error in the order of its number. Append-only.
func Kinds() []KindRow {
	return []KindRow{
		{fault.Internal, "internal", "EryxshError", "something that should not happen, reported without a panic"},
		{fault.Invalid, "invalid", "ValueError", "an argument that cannot be used"},
		{fault.Closed, "closed", "SandboxClosedError", "the sandbox is closed"},
		{fault.Busy, "busy", "SandboxBusyError", "another run is active in the sandbox"},
		{fault.RunGone, "run_gone", "RunGoneError", "the run ended, or the sandbox was restored under it"},
		{fault.NotFound, "not_found", "SnapshotNotFoundError", "no snapshot, history entry or commit of that name"},
		{fault.File, "file", "OSError", "a file error: errno and path say which"},
		{fault.Parse, "parse", "ParseError", "analyze was given a script that is not one: line and column say where"},
		{fault.State, "state", "StateError", "a state that cannot be read"},
		{fault.StateTooNew, "state_too_new", "StateTooNewError", "a state written by a newer version"},
		{fault.Signature, "signature", "SignatureError", "a state whose signature is missing or wrong"},
		{fault.Drift, "drift", "ScriptDriftError", "a script that no longer parses to what was saved"},
		{fault.Capability, "capability", "CapabilityError", "a tool or mount the state needs is not here"},
		{fault.NotSuspendable, "not_suspendable", "NotSuspendableError", "a command that cannot be saved where it is"},
		{fault.AlreadyResumed, "already_resumed", "AlreadyResumedError", "a call that was answered before"},
		{fault.Quota, "quota", "QuotaExceededError", "no room: files, bytes or retained bytes"},
		{fault.Limit, "limit", "EryxshError", "a named limit was met outside a run"},
		{fault.Unsupported, "unsupported", "NotImplementedError", "a feature that does not exist here"},
		{fault.Panic, "panic", "EryxshError", "a bug: the message names the place"},
		{fault.NoAncestor, "no_ancestor", "NoAncestorError", "a merge of two sandboxes that come from no common state"},
		{KindType, "type", "TypeError", "a parameter is of another type"},
		{KindRequest, "request", "EryxshError", "the request is not one of this version"},
		{KindClosing, "closing", "SandboxClosedError", "the interpreter is ending"},
		{KindForked, "forked", "ForkedSandboxError", "the sandbox belongs to the process this one was forked from"},
	}
}

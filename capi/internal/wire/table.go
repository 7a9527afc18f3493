package wire

// Method is one row of the table: data from which the Python side and the
// documentation are generated, and by which package rpc checks itself.
type Method struct {
	Number int
	Name   string // "noun.verb"; Python's function is noun_verb
	Params any    // the zero value of the parameters' struct
	// Result is the zero value of what comes back: nil for nothing, Blob for
	// bytes, Output for one of Answers.
	Result any
	Doc    string
}

// Methods lists every method in the order of its number. Numbers are never
// reused. The first of each noun begins a new block.
func Methods() []Method {
	return []Method{
		{1, "system.ping", PingParams{}, Blob(nil), "Give the payload back."},
		{2, "system.version", GCParams{}, Version{}, "Say what library this is."},
		{3, "system.stats", GCParams{}, Stats{}, "Count memory, goroutines and sandboxes."},
		{4, "system.gc", GCParams{}, nil, "Collect garbage and give free memory back to the operating system."},
		{5, "system.shutdown", ShutdownParams{}, false, "Refuse new calls, cancel every run, and wait for calls of other threads; true when none is left."},
		{6, "system.test", MisbehaveParams{}, Blob(nil), "Misbehave on purpose, after op enable: for the package's own tests."},

		{16, "sandbox.new", NewParams{}, int64(0), "Make a sandbox; the result is its handle."},
		{17, "sandbox.close", CloseParams{}, nil, "End a sandbox: its run is cancelled, its handle is dead."},
		{18, "sandbox.fork", ForkParams{}, []int64(nil), "Make independent copies in O(1) each; the result is their handles."},
		{19, "sandbox.snapshot", SnapshotParams{}, "", "Keep the state as it is; the result is the snapshot's id."},
		{20, "sandbox.restore", RestoreParams{}, nil, "Go back to a snapshot. An active run is gone."},
		{21, "sandbox.snapshots", SandboxParams{}, []SnapshotInfo(nil), "List the snapshots, oldest first."},
		{22, "sandbox.drop", DropParams{}, nil, "Forget a snapshot."},
		{23, "sandbox.undo", UndoParams{}, nil, "Go back to before the n-th last command."},
		{24, "sandbox.diff", DiffParams{}, Diff{}, "Say what differs between two states, which it keeps for diff.patch until diff.close."},
		{25, "sandbox.reset", SandboxParams{}, nil, "Make it as new, with the same arguments."},
		{26, "sandbox.export", ExportParams{}, Blob(nil), "Give everything, an active run included, as one blob."},
		{27, "sandbox.import", ImportParams{}, nil, "Replace everything by a blob, or fail and change nothing."},
		{28, "sandbox.from_state", FromStateParams{}, int64(0), "Make a sandbox out of a blob; the result is its handle."},
		{29, "sandbox.inspect", InspectParams{}, StateInfo{}, "Say what a blob holds without loading it."},
		{30, "sandbox.usage", SandboxParams{}, Usage{}, "Give the counters."},
		{31, "sandbox.info", SandboxParams{}, Info{}, "Describe the sandbox."},
		{32, "sandbox.analyze", AnalyzeParams{}, Analysis{}, "Say what a script would run, without running it."},
		{33, "sandbox.set_tools", ToolsParams{}, nil, "Say which names are tool calls."},
		{34, "sandbox.set_extension", ToolInfoParams{}, nil, "Describe a tool for the extensions builtin; an unknown name becomes a tool."},
		{35, "sandbox.mount", MountParams{}, nil, "Show a directory of the host inside, or files that are given."},
		{36, "sandbox.unmount", MountPointParams{}, nil, "Take a mount away."},
		{37, "sandbox.redo", UndoParams{}, nil, "Come forward again by n of the commands that were undone."},
		{38, "sandbox.merge", CombineParams{}, Combined{}, "Bring in what another sandbox changed since the two parted, or do nothing."},
		{39, "sandbox.mounts", SandboxParams{}, []MountInfo(nil), "List what is mounted, in the order it was."},
		{40, "mount.diff", MountPointParams{}, Diff{}, "Say how an overlay of a host's directory differs from what the host has; as sandbox.diff."},
		{41, "mount.commit", MountPointParams{}, []string(nil), "Write what an overlay changed to the host. If the host changed the same meanwhile nothing is written, and the result is these paths."},
		{42, "mount.discard", DiscardParams{}, nil, "Let go of what an overlay changed, all or at some paths."},

		{48, "env.get", EnvNameParams{}, (*string)(nil), "Give a variable's value, or None."},
		{49, "env.set", EnvSetParams{}, nil, "Set and export a variable."},
		{50, "env.unset", EnvNameParams{}, false, "Unset a variable; true if there was one."},
		{51, "env.all", EnvAllParams{}, map[string]string(nil), "Give every variable that has a scalar value."},

		{56, "history.list", HistoryListParams{}, []HistoryEntry(nil), "List past commands, oldest first."},
		{57, "history.clear", SandboxParams{}, nil, "Forget them."},
		{58, "history.restore", HistoryRestoreParams{}, nil, "Go back to before an entry ran."},

		{60, "diff.patch", PatchParams{}, Blob(nil), "Write the changed files as a patch that git apply takes."},
		{61, "diff.close", DiffHandleParams{}, nil, "Let go of the two states of a diff."},

		{64, "run.run", StartParams{}, Output{}, "Start a run and drive its first slice."},
		{65, "run.start", StartParams{}, "", "Start a run without driving it; the result is its id."},
		{66, "run.step", StepParams{}, Output{}, "Drive the run for a slice."},
		{67, "run.answer", AnswerParams{}, nil, "Answer a tool call."},
		{68, "run.input", InputParams{}, nil, "Give bytes to a PIPE stdin."},
		{69, "run.cancel", CancelParams{}, nil, "Make the run end with status 130, from any thread. Nothing active: nothing happens."},
		{70, "run.suspend", CancelParams{}, nil, "Make the run stop between two steps, from any thread."},
		{71, "run.add", AddParams{}, nil, "Add to the run's timeout or a budget."},
		{72, "run.output", RunParams{}, []Chunk(nil), "Give the output kept since the start, in order, as that of an answer."},
		{73, "run.active", SandboxParams{}, RunInfo{}, "Describe the active run."},
		{74, "run.drop", RunParams{}, nil, "End the run where it is, as if killed: no trap runs."},
		{75, "run.load", FromStateParams{}, Loaded{}, "Make a sandbox out of a blob that holds a run."},

		{96, "files.read", PathParams{}, Blob(nil), "Give a file's content."},
		{97, "files.read_range", ReadRangeParams{}, Blob(nil), "Give a part of a file's content."},
		{98, "files.write", WriteParams{}, nil, "Replace or make a file."},
		{99, "files.append", AppendParams{}, nil, "Add to a file."},
		{100, "files.write_at", WriteAtParams{}, nil, "Overwrite a part of a file."},
		{101, "files.write_many", WriteManyParams{}, nil, "Replace or make several files."},
		{102, "files.list", ListParams{}, Page{}, "List a directory, a page at a time."},
		{103, "files.stat", PathParams{}, FileInfo{}, "Describe what a path leads to."},
		{104, "files.lstat", PathParams{}, FileInfo{}, "Describe a path without following a symlink."},
		{105, "files.exists", PathParams{}, false, "Say whether a path leads to something."},
		{106, "files.mkdir", MkdirParams{}, nil, "Make a directory."},
		{107, "files.rm", RemoveParams{}, nil, "Remove a file or directory."},
		{108, "files.rename", FromToParams{}, nil, "Rename, replacing what rename(2) would replace."},
		{109, "files.copy", CopyParams{}, nil, "Copy with modes and times."},
		{110, "files.chmod", ChmodParams{}, nil, "Set permission bits."},
		{111, "files.symlink", SymlinkParams{}, nil, "Make a symbolic link."},
		{112, "files.link", FromToParams{}, nil, "Make a hard link."},
		{113, "files.readlink", PathParams{}, "", "Give a symbolic link's target."},
		{114, "files.glob", GlobParams{}, []string(nil), "List the paths that match, in byte order."},
		{115, "files.truncate", TruncateParams{}, nil, "Set a file's size."},
		{116, "files.utimes", UtimesParams{}, nil, "Set times."},
		{117, "files.realpath", PathParams{}, "", "Give the absolute path without symbolic links."},

		{128, "store.save", SaveParams{}, SaveBegun{}, "Begin to save: the state as it is now, whatever happens later."},
		{129, "store.known", KnownParams{}, nil, "Tell a save of a pack the store has."},
		{130, "store.seal", SealParams{}, Sealed{}, "End a save: what is to be written, packs first, then the ref."},
		{131, "store.pack", PackParams{}, Blob(nil), "Give the bytes of a pack that a save made."},
		{132, "store.merge", MergeParams{}, Merged{}, "Make one pack of several."},
		{133, "store.saved", SavedParams{}, nil, "Say that a save is in the store, or that it is given up."},
		{134, "store.read", ReadParams{}, int64(0), "Begin to read a state, a log, or all there is; the result is a handle."},
		{135, "store.need", ReadHandle{}, []PackRange(nil), "Read on; the result is what is missing, nothing at the end."},
		{136, "store.give", GiveParams{}, nil, "Give bytes that were missing."},
		{137, "store.open", OpenParams{}, int64(0), "Make a sandbox of a state that was read; the result is its handle."},
		{138, "store.log", ReadHandle{}, []CommitInfo(nil), "Give the commits that were read, the newest first."},
		{139, "store.checked", ReadHandle{}, Checked{}, "Say what was found wrong in what was read."},
		{140, "store.forget", ReadHandle{}, nil, "Let go of what was read."},
		{141, "store.ref", RefParams{}, RefInfo{}, "Describe a ref."},
		{142, "store.point", RefParams{}, Blob(nil), "Make a ref to another commit that the same packs have."},
		{143, "store.stamp", SandboxParams{}, int64(0), "Give a number that is another whenever the state may be another; waits for nobody."},
		{144, "store.trimmed", ReadHandle{}, Trimmed{}, "Give a history that was read, without its beginning."},
	}
}

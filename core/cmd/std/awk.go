package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/awk"
)

// awkAs is awk under one of its names.
func awkAs(name string) *cmd.Command {
	return &cmd.Command{
		Name:          name,
		Summary:       "scan and process text by patterns",
		Usage:         name + " [OPTION]... [--] 'program' [FILE]...\n   or: " + name + " [OPTION]... -f progfile [--] [FILE]...",
		Options:       awk.Options(),
		Class:         cmd.Step,
		Status:        1,
		StopAtOperand: true,
		Obsolete:      awk.LongW,
		Short:         true, Origin: "GNU Awk 5.2.1",
		New: func() cmd.Program { return new(awk.Program) },
	}
}

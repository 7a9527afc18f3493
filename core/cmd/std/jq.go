package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/jq"
)

func jqCommand() *cmd.Command {
	return &cmd.Command{
		Name:    "jq",
		Summary: "process JSON",
		Usage:   "jq [OPTIONS] FILTER [FILES...]",
		Class:   cmd.Step,
		Status:  2,
		Raw:     true,
		Origin:  "jq 1.7.1",
		New:     func() cmd.Program { return new(jq.Program) },
	}
}

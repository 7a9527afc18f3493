package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/ls"
)

// files lists the utilities of files, directories, dates and processes, sorted by name.
func files() []*cmd.Command {
	return []*cmd.Command{
		basename(),
		ls.Dir(),
		dirname(),
		ls.Command(),
		mkdir(),
		mktemp(),
		readlink(),
		realpath(),
		rmdir(),
		touch(),
		truncate(),
	}
}

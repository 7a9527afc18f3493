package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/ls"
)

// files lists the utilities of files, directories, dates and processes, sorted by name.
func files() []*cmd.Command {
	return []*cmd.Command{
		basename(),
		date(),
		ls.Dir(),
		dirname(),
		env(),
		ls.Command(),
		mkdir(),
		mktemp(),
		nice(),
		nohup(),
		printenv(),
		readlink(),
		realpath(),
		rmdir(),
		sleep(),
		timeout(),
		touch(),
		truncate(),
		xargs(),
	}
}

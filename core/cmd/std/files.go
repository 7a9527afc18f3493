package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/cp"
	"eryxsh/core/cmd/std/find"
	"eryxsh/core/cmd/std/ls"
)

// files lists the utilities of files, directories, dates and processes, sorted by name.
func files() []*cmd.Command {
	return []*cmd.Command{
		basename(),
		chgrp(),
		chmod(),
		chown(),
		cp.Command(),
		date(),
		ls.Dir(),
		dirname(),
		env(),
		find.Command(),
		cp.Install(),
		cp.Ln(),
		ls.Command(),
		mkdir(),
		mktemp(),
		cp.Mv(),
		nice(),
		nohup(),
		printenv(),
		readlink(),
		realpath(),
		rm(),
		rmdir(),
		sleep(),
		stat(),
		timeout(),
		touch(),
		truncate(),
		xargs(),
	}
}

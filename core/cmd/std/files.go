package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/cp"
	"eryxsh/core/cmd/std/diff"
	"eryxsh/core/cmd/std/find"
	"eryxsh/core/cmd/std/gzip"
	"eryxsh/core/cmd/std/ls"
	"eryxsh/core/cmd/std/patch"
	"eryxsh/core/cmd/std/tar"
)

// files lists the utilities of files, directories, dates and processes, sorted by name.
func files() []*cmd.Command {
	return []*cmd.Command{
		arch(),
		basename(),
		chgrp(),
		chmod(),
		chown(),
		cmpCommand(),
		cp.Command(),
		date(),
		df(),
		diff.Command(),
		ls.Dir(),
		dirname(),
		du(),
		env(),
		file(),
		find.Command(),
		free(),
		getconf(),
		groups(),
		gzip.Gunzip(),
		gzip.Command(),
		hostname(),
		id(),
		cp.Install(),
		kill(),
		cp.Ln(),
		logname(),
		ls.Command(),
		mkdir(),
		mktemp(),
		cp.Mv(),
		nice(),
		nohup(),
		nproc(),
		patch.Command(),
		pathchk(),
		printenv(),
		ps(),
		pwd(),
		readlink(),
		realpath(),
		rm(),
		rmdir(),
		sleep(),
		stat(),
		sync(),
		tar.Command(),
		timeout(),
		touch(),
		tree(),
		truncate(),
		tty(),
		uname(),
		uptime(),
		which(),
		whoami(),
		xargs(),
		gzip.Zcat(),
	}
}

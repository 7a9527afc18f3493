// Package std is the list of the utilities that every sandbox has.
//
// A utility is one file, or one folder if it is large, and one line here. The
// functions make a fresh Command each time: nothing in this package is shared.
package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/sort"
)

// Commands lists the utilities, sorted by name.
func Commands() []*cmd.Command {
	return []*cmd.Command{
		awkAs("awk"),
		awkAs("gawk"),
		awkAs("mawk"),
		cat(),
		cut(),
		echo(),
		egrep(),
		falseCommand(),
		fgrep(),
		fold(),
		grep(),
		head(),
		paste(),
		printf(),
		rev(),
		seq(),
		sort.Command(),
		tac(),
		tee(),
		tr(),
		trueCommand(),
		uniq(),
		wc(),
		yes(),
	}
}

// Package std is the list of the utilities that every sandbox has.
//
// A utility is one file, or one folder if it is large, and one line here. The
// functions make a fresh Command each time: nothing in this package is shared.
package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/bc"
	"eryxsh/core/cmd/std/column"
	"eryxsh/core/cmd/std/csplit"
	"eryxsh/core/cmd/std/fmt"
	"eryxsh/core/cmd/std/hexdump"
	"eryxsh/core/cmd/std/iconv"
	"eryxsh/core/cmd/std/numfmt"
	"eryxsh/core/cmd/std/od"
	"eryxsh/core/cmd/std/pr"
	"eryxsh/core/cmd/std/rg"
	"eryxsh/core/cmd/std/sort"
	"eryxsh/core/cmd/std/split"
	"eryxsh/core/cmd/std/xxd"
)

// Commands lists the utilities, sorted by name.
func Commands() []*cmd.Command {
	return append([]*cmd.Command{
		bracket(),
		awkAs("awk"),
		b2sum(),
		base32(),
		base64(),
		bc.Command(),
		cat(),
		cksum(),
		column.Command(),
		comm(),
		csplit.Command(),
		cut(),
		dd(),
		echo(),
		egrep(),
		envsubst(),
		expand(),
		expr(),
		factor(),
		falseCommand(),
		fgrep(),
		fmt.Command(),
		fold(),
		awkAs("gawk"),
		grep(),
		head(),
		hexdump.Command(),
		iconv.Command(),
		join(),
		jqCommand(),
		awkAs("mawk"),
		less(),
		md5sum(),
		more(),
		nl(),
		numfmt.Command(),
		od.Command(),
		paste(),
		pr.Command(),
		printf(),
		rev(),
		rg.Command(),
		sedCommand(),
		seq(),
		sha1sum(),
		sha224sum(),
		sha256sum(),
		sha384sum(),
		sha512sum(),
		shuf(),
		sort.Command(),
		split.Command(),
		stringsCommand(),
		sum(),
		tac(),
		tail(),
		tee(),
		testCommand(),
		tr(),
		trueCommand(),
		tsort(),
		unexpand(),
		uniq(),
		wc(),
		xxd.Command(),
		yes(),
	}, files()...)
}

package std

import (
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
)

// The made-up file system: 1 GiB, all of it free.
const dfBytes = 1 << 30

func df() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	return &cmd.Command{
		Name: "df", Summary: "show information about the file system on which each FILE resides", Usage: "df [OPTION]... [FILE]...",
		Options: []cmd.Option{
			o('a', "all", "include pseudo, duplicate, inaccessible file systems"),
			{Short: 'B', Long: "block-size", Arg: cmd.Required, Meta: "SIZE", Help: "scale sizes by SIZE before printing them"},
			o('h', "human-readable", "print sizes in powers of 1024"), o('H', "si", "print sizes in powers of 1000"), o('i', "inodes", "list inode information instead of block usage"),
			o('k', "", "like --block-size=1K"), o('l', "local", "limit listing to local file systems"), o(0, "no-sync", "do not invoke sync before getting usage info"),
			{Long: "output", Arg: cmd.Optional, Meta: "FIELD_LIST", Help: "use the output format defined by FIELD_LIST", Missing: true},
			o('P', "portability", "use the POSIX output format"), o(0, "sync", "invoke sync before getting usage info"), o(0, "total", "produce a grand total"),
			{Short: 't', Long: "type", Arg: cmd.Required, Meta: "TYPE", Help: "limit listing to file systems of type TYPE", Missing: true},
			o('T', "print-type", "print file system type"),
			{Short: 'x', Long: "exclude-type", Arg: cmd.Required, Meta: "TYPE", Help: "limit listing to file systems not of type TYPE", Missing: true},
			o('v', "", "(ignored)"),
		},
		Run: runDf,
	}
}

func runDf(c *cmd.Ctx) int {
	block, title := size.Block{Unit: 1024}, "1K-blocks"
	inodes, posix, types := false, false, false
	for _, f := range c.Flags {
		switch f.Name {
		case "B":
			b, err := size.ParseBlock(f.Value)
			if err != nil {
				c.Errorf("invalid -B argument %s", quote.Shell(c, f.Value))
				return 1
			}
			block, title = b, f.Value+"-blocks"
			if s := f.Value; s[0] < '0' || s[0] > '9' {
				title = "1" + s + "-blocks"
			}
		case "h":
			block, title = size.Block{Unit: 1, Human: 1024}, "Size"
		case "H":
			block, title = size.Block{Unit: 1, Human: 1000}, "Size"
		case "k":
			block, title = size.Block{Unit: 1024}, "1K-blocks"
		case "i":
			inodes = true
		case "P":
			posix = true
		case "T":
			types = true
		}
	}
	rows := [][]string{{"Filesystem", title, "Used", "Available", "Use%", "Mounted on"}}
	switch {
	case inodes:
		rows[0] = []string{"Filesystem", "Inodes", "IUsed", "IFree", "IUse%", "Mounted on"}
	case posix && title != "Size":
		rows[0][1], rows[0][4] = strconv.FormatInt(block.Unit, 10)+"-blocks", "Capacity"
	case title == "Size":
		rows[0][3] = "Avail"
	}
	row := func(name, mount string) []string {
		if inodes {
			return []string{name, "65536", "1", "65535", "1%", mount}
		}
		return []string{name, block.Format(dfBytes), block.Format(0), block.Format(dfBytes), "0%", mount}
	}
	status := 0
	if len(c.Args) == 0 {
		rows = append(rows, row("eryxsh", "/"))
	}
	for _, a := range c.Args {
		if _, err := c.Stat(a); err != nil {
			status = c.Fail(a, err)
			continue
		}
		rows = append(rows, row("eryxsh", "/"))
	}
	if len(rows) == 1 {
		return status
	}
	if c.Flags.Has("total") {
		rows = append(rows, row("total", "-"))
	}
	if types {
		for i, r := range rows {
			t := "ext4"
			if i == 0 {
				t = "Type"
			} else if r[0] == "total" {
				t = "-"
			}
			rows[i] = append([]string{r[0], t}, r[1:]...)
		}
	}
	dfTable(c, rows, types)
	return status
}

// dfTable writes columns: names to the left, numbers to the right.
func dfTable(c *cmd.Ctx, rows [][]string, types bool) {
	widths := make([]int, len(rows[0]))
	widths[0] = 14
	for i := range rows[0] {
		for _, r := range rows {
			widths[i] = max(widths[i], len(r[i]))
		}
		if t := rows[0][i]; (t == "Used" || t == "Avail" || t == "Size") && widths[i] < 5 {
			widths[i] = 5
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, v := range r {
			switch {
			case i == len(r)-1:
				b.WriteString(v)
			case i == 0 || types && i == 1:
				fmt.Fprintf(&b, "%-*s ", widths[i], v)
			default:
				fmt.Fprintf(&b, "%*s ", widths[i], v)
			}
		}
		c.Out.WriteString(b.String() + "\n")
	}
}

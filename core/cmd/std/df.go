package std

import (
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
	"eryxsh/vfs"
)

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
	st := c.Statfs()
	row := func(name, mount string) []string {
		all, used := st.Bytes, st.BytesUsed
		show := block.Format
		if inodes {
			all, used = st.Files, st.FilesUsed
			show = func(n int64) string { return strconv.FormatInt(n, 10) }
			if block.Human != 0 {
				show = size.Block{Unit: 1, Human: block.Human}.Format
			}
		}
		return []string{name, show(all), show(used), show(all - used), dfPercent(used, all), mount}
	}
	status := 0
	mounts := dfMounts(c)
	if len(c.Args) == 0 {
		for _, m := range mounts {
			rows = append(rows, row(m.source, m.path))
		}
	}
	for _, a := range c.Args {
		st, err := c.Stat(a)
		if err != nil {
			status = c.Fail(a, err)
			continue
		}
		m := mounts[0]
		for _, other := range mounts {
			if other.dev == st.Dev {
				m = other
			}
		}
		rows = append(rows, row(m.source, m.path))
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

// dfPercent is how much of all is used, rounded up.
func dfPercent(used, all int64) string {
	if all == 0 {
		return "-"
	}
	return strconv.FormatInt((used*100+all-1)/all, 10) + "%"
}

// dfMount is a file system with room: the sandbox's own, or what is mounted in it.
type dfMount struct {
	source, path string
	dev          uint32
}

// dfMounts reads /proc/mounts.
func dfMounts(c *cmd.Ctx) []dfMount {
	all := []dfMount{{"eryxsh", "/", 0}}
	fd, err := c.Open("/proc/mounts", vfs.O_RDONLY, 0)
	if err != nil {
		return all
	}
	defer c.Close(fd)
	var text []byte
	for buf := make([]byte, 4096); ; {
		n, err := c.Read(fd, buf)
		if text = append(text, buf[:n]...); err != nil {
			break
		}
	}
	for _, line := range strings.Split(string(text), "\n") {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "eryxsh" && f[1] != "/" {
			path := dfOctal.Replace(f[1])
			if st, err := c.Stat(path); err == nil {
				all = append(all, dfMount{dfOctal.Replace(f[0]), path, st.Dev})
			}
		}
	}
	return all
}

// dfOctal reads what Linux writes for the characters that separate the columns of /proc/mounts.
var dfOctal = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

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

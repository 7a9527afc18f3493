package std

import (
	"errors"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

// stty reads its command line as with a terminal; there is none whose settings it could show or change, and that it says.
func stty() *cmd.Command {
	return &cmd.Command{
		Name: "stty", Summary: "print or change terminal characteristics", Usage: "stty [-F DEVICE] [SETTING]...",
		Options: []cmd.Option{
			{Short: 'a', Long: "all", Help: "print all current settings in human-readable form"},
			{Short: 'g', Long: "save", Help: "print all current settings in a stty-readable form"},
			{Short: 'F', Long: "file", Arg: cmd.Required, Meta: "DEVICE", Help: "open and use the specified DEVICE instead of stdin"},
		},
		Status: 1, Obsolete: sttyOrdered, Run: sttyRun,
	}
}

// Settings of a terminal: those that a "-" turns off, the others, and those with an argument.
var (
	sttyReversible = words(`parenb parodd cmspar hupcl hup cstopb cread clocal crtscts ignbrk brkint ignpar parmrk inpck istrip
		inlcr igncr icrnl ixon ixoff tandem iuclc ixany imaxbel iutf8 opost olcuc ocrnl onlcr onocr onlret ofill ofdel isig icanon
		iexten echo echoe crterase echok echonl noflsh xcase tostop echoprt prterase echoctl ctlecho echoke crtkill flusho extproc
		evenp parity oddp nl cooked raw pass8 litout cbreak decctlq tabs lcase LCASE drain`)
	sttyPlain = words(`cs5 cs6 cs7 cs8 nl1 nl0 cr3 cr2 cr1 cr0 tab3 tab2 tab1 tab0 bs1 bs0 vt1 vt0 ff1 ff0 ek sane crt dec size speed
		0 50 75 110 134 134.5 150 200 300 600 1200 1800 2400 4800 9600 19200 38400 exta extb 57600 115200 230400 460800 500000 576000
		921600 1000000 1152000 1500000 2000000 2500000 3000000 3500000 4000000`)
	sttyChars   = words("intr quit erase kill eof eol eol2 swtch start stop susp rprnt werase lnext flush discard min time")
	sttyNumbers = words("rows cols columns line ispeed ospeed")
)

// words makes a set of the words of s.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// sttyOrdered puts the options first: every other word that begins with "-" is a setting.
func sttyOrdered(_ *cmd.Ctx, args []string) []string {
	var options, settings []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--" && len(settings) == 0:
		case sttyLong(a), len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "ag") == "", strings.HasPrefix(a, "-F") && len(a) > 2:
			options = append(options, a)
		case a == "-F" && i+1 < len(args):
			options = append(options, a, args[i+1])
			i++
		default:
			settings = append(settings, a)
		}
	}
	return append(append(options, "--"), settings...)
}

// sttyLong reports whether a word begins like one of the long options.
func sttyLong(a string) bool {
	name, _, _ := strings.Cut(a, "=")
	for _, o := range []string{"--all", "--save", "--file", "--help", "--version"} {
		if len(name) > 2 && strings.HasPrefix(o, name) {
			return true
		}
	}
	return false
}

func sttyRun(c *cmd.Ctx) int {
	all, saved := c.Flags.Has("a"), c.Flags.Has("g")
	switch {
	case all && saved:
		c.Errorf("the options for verbose and stty-readable output styles are\nmutually exclusive")
		return 1
	case (all || saved) && len(c.Args) > 0:
		c.Errorf("when specifying an output style, modes may not be set")
		return 1
	}
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		off, is := strings.CutPrefix(a, "-")
		takes := sttyChars[a] || sttyNumbers[a]
		switch {
		case is && sttyReversible[off], sttyReversible[a], sttyPlain[a], !takes && sttySaved(a):
		case !takes:
			return c.UsageError("invalid argument %s", quote.Locale(c, a))
		case i+1 == len(c.Args):
			return c.UsageError("missing argument to %s", quote.Locale(c, a))
		default:
			i++
			if !sttyArgument(c, a, c.Args[i]) {
				return 1
			}
		}
	}
	device := "'standard input'"
	if f, ok := c.Flags.Last("F"); ok {
		fd, err := c.Open(f.Value, vfs.O_RDONLY, 0)
		if err != nil {
			return c.Fail(f.Value, err)
		}
		c.Close(fd)
		device = quote.File(c, f.Value)
	}
	c.Errorf("%s: %s", device, vfs.ENOTTY)
	return 1
}

// sttyArgument checks a setting's argument, as far as stty does before it asks the terminal.
func sttyArgument(c *cmd.Ctx, name, value string) bool {
	number := name == "min" || name == "time"
	if name == "line" {
		if n, err := strconv.ParseUint(value, 0, 64); err != nil || n > 255 {
			c.Errorf("invalid line discipline %s", quote.Locale(c, value))
		}
		return true
	}
	if sttyNumbers[name] || !number && (len(value) <= 1 || value == "^-" || value == "undef" || value[0] == '^') {
		return true
	}
	n, err := strconv.ParseUint(value, 0, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		c.Errorf("invalid integer argument: %s: Value too large for defined data type", quote.Locale(c, value))
	case err != nil || strings.ContainsAny(value, "_oObB"):
		c.Errorf("invalid integer argument: %s", quote.Locale(c, value))
	case n > 255:
		c.Errorf("invalid integer argument: %s: Numerical result out of range", quote.Locale(c, value))
	default:
		return true
	}
	return false
}

// sttySaved reports whether s is what -g prints: 4 words of modes and 32 characters, in hexadecimal.
func sttySaved(s string) bool {
	parts := strings.Split(s, ":")
	for _, x := range parts {
		if _, err := strconv.ParseUint(x, 16, 32); err != nil {
			return false
		}
	}
	return len(parts) == 4+32
}

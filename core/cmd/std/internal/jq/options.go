package jq

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// options are the command line. They follow from the arguments alone.
type options struct {
	text                                  string
	null, raw, slurp, stream, seq         bool
	unquoted, joined, nul, exit, unbuffer bool
	layout                                layout
	files                                 []string
	named                                 []named
	positional                            []named
	program                               string // a file, "" if text is the program
	given                                 bool   // the program was given
}

// named is a variable from the command line.
type named struct {
	name  string
	kind  byte // 'a' text, 'j' JSON, 's' slurped file, 'r' raw file
	value string
}

const usage = `Usage:	jq [OPTIONS] FILTER [FILES...]
	jq [OPTIONS] -f FILE [FILES...]
	jq [OPTIONS] --args FILTER [ARGUMENTS...]
	jq [OPTIONS] --jsonargs FILTER [JSON_VALUES...]
`

const help = usage + `
jq is a tool for processing JSON inputs, applying the given filter to
its JSON text inputs and producing the filter's results as JSON on
standard output.

The simplest filter is ., which copies jq's input to its output
unmodified except for formatting. For more advanced filters see
the jq(1) manpage ("man jq") and/or https://jqlang.github.io/jq/.

Example:

	$ echo '{"foo": 0}' | jq .
	{
	  "foo": 0
	}

Command options:
  -n, --null-input          use ` + "`null`" + ` as the single input value;
  -R, --raw-input           read each line as string instead of JSON;
  -s, --slurp               read all inputs into an array and use it as
                            the single input value;
  -c, --compact-output      compact instead of pretty-printed output;
  -r, --raw-output          output strings without escapes and quotes;
      --raw-output0         implies -r and output NUL after each output;
  -j, --join-output         implies -r and output without newline after
                            each output;
  -a, --ascii-output        output strings by only ASCII characters
                            using escape sequences;
  -S, --sort-keys           sort keys of each object on output;
  -C, --color-output        colorize JSON output;
  -M, --monochrome-output   disable colored output;
      --tab                 use tabs for indentation;
      --indent n            use n spaces for indentation (max 7 spaces);
      --unbuffered          flush output stream after each output;
      --stream              parse the input value in streaming fashion;
      --seq                 parse input/output as application/json-seq;
  -f, --from-file file      load filter from the file;
      --arg name value      set $name to the string value;
      --argjson name value  set $name to the JSON value;
      --slurpfile name file set $name to an array of JSON values read
                            from the file;
      --rawfile name file   set $name to string contents of file;
      --args                consume remaining arguments as positional
                            string values;
      --jsonargs            consume remaining arguments as positional
                            JSON values;
  -e, --exit-status         set exit status code based on the output;
  -V, --version             show the version;
  -h, --help                show the help;
  --                        terminates argument processing;

Named arguments are also available as $ARGS.named[], while
positional arguments are available as $ARGS.positional[].
`

const seeHelp = "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.github.io/jq\n"

// parser of the command line
type argParser struct {
	c      *cmd.Ctx
	o      *options
	args   []string
	rest   byte // how further operands are taken: 0 files, 'a' text, 'j' JSON
	file   bool // -f was given
	status int
	done   bool
}

func parseOptions(c *cmd.Ctx) (o *options, status int, done bool) {
	o = &options{layout: layout{indent: 2}}
	p := &argParser{c: c, o: o, args: c.Args}
	ended := false
	for len(p.args) > 0 && !p.done {
		a := p.args[0]
		p.args = p.args[1:]
		switch {
		case ended || len(a) < 2 || a[0] != '-' || a[1] != '-' && !letter(a[1]):
			p.operand(a)
		case a == "--":
			ended = true
		case strings.HasPrefix(a, "--"):
			p.long(a)
		default:
			p.short(a)
		}
	}
	if p.done {
		return nil, p.status, true
	}
	if p.file {
		if !o.given {
			c.Errout.WriteString(usage + seeHelp)
			return nil, 2, true
		}
		o.program, o.text = o.text, ""
	}
	if !o.given {
		c.Errout.WriteString(usage + seeHelp)
		return nil, 2, true
	}
	colors(c, &o.layout)
	return o, 0, false
}

func (p *argParser) operand(a string) {
	switch {
	case !p.o.given:
		p.o.text, p.o.given = a, true
	case p.rest == 0:
		p.o.files = append(p.o.files, a)
	case p.rest == 'j' && !p.checkJSON(a):
		fmt.Fprintf(&p.c.Errout, "jq: Invalid JSON text passed to --jsonargs\n")
		p.c.Errout.WriteString(seeHelp)
		p.status, p.done = 2, true
	default:
		p.o.positional = append(more(p.o.positional, p.c), named{kind: p.rest, value: a})
	}
}

func (p *argParser) checkJSON(text string) bool {
	_, ok := parseOne(&Heap{}, text)
	return ok
}

func (p *argParser) short(a string) {
	for i := 1; i < len(a) && !p.done; i++ {
		switch a[i] {
		case 'f':
			p.file = true
		case 'h':
			p.flag("help")
		case 'V':
			p.flag("version")
		case 'L':
			p.done, p.status = true, p.c.NotYet("option -L")
		default:
			name := ""
			if k := strings.IndexByte("sRrjancCMSe", a[i]); k >= 0 {
				name = [...]string{"slurp", "raw-input", "raw-output", "join-output", "ascii-output", "null-input", "compact-output", "color-output", "monochrome-output", "sort-keys", "exit-status"}[k]
			}
			if name == "" {
				fmt.Fprintf(&p.c.Errout, "jq: Unknown option: %s\n%s%s", a, usage, seeHelp)
				p.done, p.status = true, 2
				return
			}
			p.flag(name)
		}
	}
}

func (p *argParser) long(a string) {
	o := p.o
	switch name := a[2:]; name {
	case "arg", "argjson", "slurpfile", "rawfile":
		if len(p.args) < 2 {
			two := map[string]string{"arg": "arg varname value", "argjson": "argjson varname text", "slurpfile": "slurpfile varname filename", "rawfile": "rawfile varname filename"}[name]
			fmt.Fprintf(&p.c.Errout, "jq: --%s takes two parameters (e.g. --%s)\n%s", name, two, seeHelp)
			p.done, p.status = true, 2
			return
		}
		n := named{name: p.args[0], kind: name[0], value: p.args[1]}
		if name == "argjson" {
			n.kind = 'j'
			if !p.checkJSON(n.value) {
				fmt.Fprintf(&p.c.Errout, "jq: Invalid JSON text passed to --argjson\n%s", seeHelp)
				p.done, p.status = true, 2
				return
			}
		}
		p.args = p.args[2:]
		for i := range o.named {
			if o.named[i].name == n.name {
				return // the first one counts
			}
		}
		o.named = append(o.named, n)
	case "args":
		p.rest = 'a'
	case "jsonargs":
		p.rest = 'j'
	case "from-file":
		p.file = true
	case "indent":
		if len(p.args) == 0 {
			fmt.Fprintf(&p.c.Errout, "jq: --indent takes one parameter\n%s", seeHelp)
			p.done, p.status = true, 2
			return
		}
		n, err := strconv.Atoi(p.args[0])
		p.args = p.args[1:]
		if err != nil || n < -1 || n > 7 {
			why := "Cannot indent more than 7 characters"
			if n < -1 {
				why = "Cannot indent less than -1"
			}
			fmt.Fprintf(&p.c.Errout, "jq: %s\n%s", why, seeHelp)
			p.done, p.status = true, 2
			return
		}
		o.layout.indent = n
	default:
		p.flag(name)
	}
}

func (p *argParser) flag(name string) {
	o := p.o
	switch name {
	case "slurp":
		o.slurp = true
	case "raw-input":
		o.raw = true
	case "raw-output":
		o.unquoted = true
	case "raw-output0":
		o.unquoted, o.nul = true, true
	case "join-output":
		o.unquoted, o.joined = true, true
	case "ascii-output":
		o.layout.ascii = true
	case "null-input":
		o.null = true
	case "compact-output":
		o.layout.indent = 0
	case "color-output":
		o.layout.color = true
	case "monochrome-output":
		o.layout.color = false
	case "sort-keys":
		o.layout.sorted = true
	case "exit-status":
		o.exit = true
	case "tab":
		o.layout.indent = -1
	case "unbuffered":
		o.unbuffer = true
	case "stream":
		o.stream = true
	case "seq":
		o.seq = true
	case "stream-errors", "debug-dump-disasm", "debug-trace", "debug-trace=all", "build-configuration", "library-path":
		p.done, p.status = true, p.c.NotYet("option --"+name)
	case "help":
		p.c.Out.WriteString(help)
		p.done = true
	case "version":
		p.c.Out.WriteString("jq-1.7\n")
		p.done = true
	default:
		fmt.Fprintf(&p.c.Errout, "jq: Unknown option: --%s\n%s%s", name, usage, seeHelp)
		p.done, p.status = true, 2
	}
}

// colors sets the colors of output, from JQ_COLORS if it is good.
func colors(c *cmd.Ctx, l *layout) {
	def := []string{"1;30", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "34;1"}
	if v, ok := c.Getenv("JQ_COLORS"); ok && strings.Trim(v, "0123456789;:") == "" {
		for i, f := range strings.Split(v, ":") {
			if i < len(def) {
				def[i] = f
			}
		}
	}
	for i, k := range []Kind{Null, False, True, Number, String, Array, Object} {
		l.colors[k] = "\x1b[" + def[i] + "m"
	}
	l.keyColor = "\x1b[" + def[7] + "m"
}

// variables are the names of the variables from outside.
func (o *options) variables() []string {
	names := []string{"ARGS", "__prog_args"}
	for _, n := range o.named {
		names = append(names, n.name)
	}
	return names
}

// Loads is what is done of loading the files that the command line names.
type Loads struct {
	I    int     `cbor:"1,keyasint,omitempty" holds:"count"` // loaded
	FD   int     `cbor:"2,keyasint,omitempty" holds:"count"`
	Open bool    `cbor:"3,keyasint,omitempty"`
	Buf  []byte  `cbor:"4,keyasint,omitempty"`
	Vals []Value `cbor:"5,keyasint,omitempty"`
}

// loadNext reads a part of the next file, and starts the program after the last.
func (p *Program) loadNext() (cmd.Next, bool) {
	l, o := &p.Load, p.opts
	files := o.named
	if o.program != "" {
		files = append([]named{{kind: 'f', value: o.program}}, files...)
	}
	if l.I >= len(files) {
		return p.loaded()
	}
	n := files[l.I]
	if n.kind == 'a' || n.kind == 'j' {
		v := str(valid(n.value, p))
		if n.kind == 'j' {
			v, _ = parseOne(&p.Heap, n.value)
		}
		p.charge(len(n.value))
		l.Vals = append(l.Vals, v)
		l.I++
		return cmd.Next{}, false
	}
	if !l.Open {
		fd, err := p.c.Open(n.value, vfs.O_RDONLY, 0)
		if err != nil {
			return p.badFile(n, fmt.Sprintf("Could not open %s: %s", n.value, err))
		}
		l.FD, l.Open = fd, true
	}
	buf := cmd.Borrow()
	defer buf.Return()
	got, err := p.c.Read(l.FD, buf[:])
	l.Buf = large.Push(l.Buf, buf[:got], p)
	p.spend(got>>3 + 1)
	switch {
	case err == cmd.ErrBlocked:
		return cmd.WaitRead(l.FD), true
	case err == io.EOF:
	case err != nil:
		return p.badFile(n, fmt.Sprintf("Could not open %s: %s", n.value, err))
	default:
		return cmd.Next{}, false
	}
	p.c.Close(l.FD)
	text := l.Buf
	l.Open, l.Buf = false, nil
	l.I++
	switch n.kind {
	case 'f':
		p.Text = large.Text(text, p)
	case 'r':
		l.Vals = append(l.Vals, str(valid(large.Text(text, p), p)))
	default:
		r := Reader{Buf: text, eof: true, work: p}
		var items []Value
		for {
			v, got, msg := p.read(&r)
			if got == gotError {
				return p.badFile(n, "Bad JSON in --slurpfile "+n.name+" "+n.value+": "+msg)
			}
			if got != gotValue {
				break
			}
			items = p.add(items, v)
		}
		l.Vals = append(l.Vals, p.Heap.array(items))
	}
	return cmd.Next{}, false
}

func (p *Program) badFile(n named, msg string) (cmd.Next, bool) {
	switch n.kind {
	case 'f':
		fmt.Fprintf(&p.c.Errout, "jq: error: %s\n", msg)
	case 'r', 's':
		if !strings.HasPrefix(msg, "Bad JSON") {
			option := "slurpfile"
			if n.kind == 'r' {
				option = "rawfile"
			}
			msg = "Bad JSON in --" + option + " " + n.name + " " + n.value + ": " + msg
		}
		fmt.Fprintf(&p.c.Errout, "jq: %s\n", msg)
	}
	return cmd.Exit(2), true
}

// loaded compiles the program and starts.
func (p *Program) loaded() (cmd.Next, bool) {
	h, o := &p.Heap, p.opts
	var keys []string
	for _, n := range o.named {
		keys = append(keys, n.name)
	}
	var list []Value
	for _, n := range o.positional {
		v := str(valid(n.value, p))
		if n.kind == 'j' {
			v, _ = parseOne(h, n.value)
		}
		p.charge(len(n.value))
		list = p.add(list, v)
	}
	all := h.object(keys, append([]Value(nil), p.Load.Vals...))
	args := h.object([]string{"positional", "named"}, []Value{h.array(list), all})
	p.Globals = append([]Value{args, all}, p.Load.Vals...)
	p.Load = Loads{}
	if status, ok := p.compile(); !ok {
		return cmd.Exit(status), true
	}
	p.Phase = Fetching
	return cmd.Next{}, false
}

// parseOne reads a text that is one JSON value.
func parseOne(h *Heap, text string) (Value, bool) {
	r := Reader{Buf: []byte(text), eof: true}
	v, got, _ := r.read(h, len(text))
	if got != gotValue {
		return empty, false
	}
	_, got, _ = r.read(h, len(text))
	return v, got == gotNothing
}

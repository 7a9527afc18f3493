package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/sed"
)

const sedUsage = "Usage: NAME [OPTION]... {script-only-if-no-other-script} [input-file]...\n" + `
  -n, --quiet, --silent
                 suppress automatic printing of pattern space
      --debug
                 annotate program execution
  -e script, --expression=script
                 add the script to the commands to be executed
  -f script-file, --file=script-file
                 add the contents of script-file to the commands to be executed
  --follow-symlinks
                 follow symlinks when processing in place
  -i[SUFFIX], --in-place[=SUFFIX]
                 edit files in place (makes backup if SUFFIX supplied)
  -l N, --line-length=N
                 specify the desired line-wrap length for the ` + "`l'" + ` command
  --posix
                 disable all GNU extensions.
  -E, -r, --regexp-extended
                 use extended regular expressions in the script
                 (for portability use POSIX -E).
  -s, --separate
                 consider files as separate rather than as a single,
                 continuous long stream.
      --sandbox
                 operate in sandbox mode (disable e/r/w commands).
  -u, --unbuffered
                 load minimal amounts of data from the input files and flush
                 the output buffers more often
  -z, --null-data
                 separate lines by NUL characters
      --help     display this help and exit
      --version  output version information and exit

If no -e, --expression, -f, or --file option is given, then the first
non-option argument is taken as the sed script to interpret.  All
remaining arguments are names of input files; if no input files are
specified, then the standard input is read.

GNU sed home page: <https://www.gnu.org/software/sed/>.
General help using GNU software: <https://www.gnu.org/gethelp/>.
`

func sedCommand() *cmd.Command {
	return &cmd.Command{
		Name: "sed", WriteError: "couldn't flush stdout: WHY", WriteStatus: 4, Summary: "edit streams of text",
		Usage:  "sed [OPTION]... {script-only-if-no-other-script} [input-file]...",
		Origin: "GNU sed 4.9",
		Status: 1,
		Hint:   sedUsage,
		Options: []cmd.Option{
			{Short: 'n', Long: "quiet", Help: "suppress automatic printing of pattern space"},
			{Short: 'n', Long: "silent", Help: "the same as --quiet"},
			{Long: "debug", Help: "annotate program execution", Missing: true},
			{Short: 'e', Long: "expression", Arg: cmd.Required, Meta: "SCRIPT", Help: "add the script to the commands to be executed"},
			{Short: 'f', Long: "file", Arg: cmd.Required, Meta: "FILE", Help: "add the contents of FILE to the commands to be executed"},
			{Long: "follow-symlinks", Help: "follow symlinks when processing in place"},
			{Short: 'i', Long: "in-place", Arg: cmd.Optional, Meta: "SUFFIX", Help: "edit files in place (makes backup if SUFFIX supplied)"},
			{Short: 'l', Long: "line-length", Arg: cmd.Required, Meta: "N", Help: "specify the desired line-wrap length for the `l' command"},
			{Long: "posix", Help: "disable all GNU extensions"},
			{Short: 'E', Long: "regexp-extended", Help: "use extended regular expressions in the script"},
			{Short: 'r', Help: "the same as -E"},
			{Short: 's', Long: "separate", Help: "consider files as separate rather than as a single, continuous long stream"},
			{Long: "sandbox", Help: "operate in sandbox mode (disable e/r/w commands)"},
			{Short: 'u', Long: "unbuffered", Help: "flush the output buffers more often"},
			{Short: 'b', Long: "binary", Help: "has no effect"},
			{Short: 'z', Long: "null-data", Help: "separate lines by NUL characters"},
			{Short: 'z', Long: "zero-terminated", Help: "the same as --null-data"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &sed.Program{} },
	}
}

// Command gen writes the part of FORMAT.md that the source says, and a version's ledger.
//
//	go generate ./state/internal/codec                                        write FORMAT.md
//	go run ./state/internal/numbers/gen -check                                fail if it is stale
//	go run ./state/internal/numbers/gen -ledger state/testdata/v2/fields.txt  write down what the numbers mean in this version
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"eryxsh/state/internal/numbers"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	check := flag.Bool("check", false, "fail if FORMAT.md is stale")
	ledger := flag.String("ledger", "", "write the ledger there")
	flag.Parse()
	if err := run(*root, *check, *ledger); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string, check bool, ledger string) error {
	if ledger != "" {
		l, err := numbers.Now(root)
		if err != nil {
			return err
		}
		return os.WriteFile(ledger, []byte(l.String()), 0o644)
	}
	path := filepath.Join(root, "state", "FORMAT.md")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := numbers.Format(old, root)
	switch {
	case err != nil:
		return err
	case !check:
		return os.WriteFile(path, text, 0o644)
	case !bytes.Equal(text, old):
		return fmt.Errorf("%s is stale, run `go generate ./state/internal/codec`", path)
	}
	return nil
}

package jq_test

import (
	"strings"
	"testing"

	"eryxsh/core/cmd/cmdtest"
)

// TestLong: what is done in pieces has the result of what is done at once, wherever
// the pieces end. Each program gives true.
func TestLong(t *testing.T) {
	const text = `range(4) as $i | ("x"*$i + "aé\"b\\n\u0001\ud83d\ude00 "*30000) as $s | $s | `
	const list = `[range(20000)] | `
	for _, program := range []string{
		text + `(tojson|fromjson) == $s and (@json|fromjson) == $s`,
		text + `(explode|implode) == $s and (explode|length) == length`,
		text + `(reverse|reverse) == $s and (reverse|.[:1]) == $s[-1:]`,
		text + `(@base64|@base64d) == $s and (@base32|@base32d) == $s`,
		text + `(@base64|[scan(".{1,76}")]|join("\n")|@base64d) == $s`,
		text + `(split("é")|join("é")) == $s and (split("é")|length) == 30001 and ($s / "" | length) == length`,
		text + `.[:77777] + .[77777:150001] + .[150001:] == $s and (.[77777:150001]|length) == 72224`,
		text + `(indices("b")|length) == 30000 and index("b") == $i + 3 and (.[rindex("b"):]|length) == 6`,
		text + `(ascii_upcase|ascii_downcase) == $s and (@uri|length) == $i + 30000 * 33 and (@html|length) == length + 150000`,
		text + `([.]|@csv) == "\"" + (split("\"")|join("\"\"")) + "\"" and ([.]|@tsv|length) == length + 30000 and ("'" * 200000 | @sh | length) == 800002`,
		text + `ltrimstr($s[:-1]) == " " and rtrimstr($s[1:]) == $s[:1] and startswith($s) and endswith($s[7:]) and (startswith($s + "x")|not)`,
		text + `($s + $s == $s * 2) and ("\($s)\($s)" == $s * 2) and ($s < $s + "a") and contains($s[9:])`,
		text + `[match("b"; "g").offset] == indices("b") and test("\ud83d\ude00 $")`,
		text + `(" " * 300000 + $s + "\n" * 300000 | trim == ($s | trim)) and ("[" + ($s|tojson) + "]" | fromjson) == [$s]`,
		text + `(try error($s) catch .) == $s and (try ($s + "x" | fromjson) catch length) > length`,
		list + `(reverse|sort) == . and (reverse|reverse) == . and (keys == .) and (map([.,[.]])|flatten|unique) == .`,
		list + `. + . == [.[],.[]] and (. + . | length) == 40000 and (.[:5] + . + .[7:9])[5:-2] == . and (. - map(select(. % 2 == 0)) | length) == 10000`,
		list + `(map({key:tostring,value:.})|from_entries|to_entries|map(.value)) == . and (map({(tostring):.})|add|[.[]]) == .`,
		list + `del(.[] | select(. % 3 > 0)) == map(select(. % 3 == 0)) and del(.[100:19000], .[-1], .[0]) == .[1:100] + .[19000:-1]`,
		list + `(map(tostring) | (join(",") | split(",")) == . and (tojson|fromjson) == . and (@csv|length) == 148889)`,
		list + `(.[30000] = 1 | length) == 30001 and (.[10:20] = [7] | length) == 19991 and indices([17,18]) == [17] and indices(5) == [5]`,
		list + `map({(tostring):.}) | add | (keys == (keys_unsorted|sort)) and (del(."5")|length) == 19999 and . == (to_entries|reverse|from_entries) and (. * . == .) and contains({"7":7})`,
		// of a list that was appended to, the older versions stay
		`[range(100)] as $a | ($a+[1]) as $b | ($a+[2,3,4,5,6,7]) as $c | ($c+[8]) as $d | ($c|.[3]=0) as $e | [$a,$b,$c,$d,$e|length,.[-1],.[3]] == [100,99,3,101,1,3,106,7,3,107,8,3,106,7,0]`,
		`reduce range(3000) as $i ([[]]; . + [.[-1] + [$i,$i]]) | [.[100,2000,3000]|length] == [200,4000,6000] and .[77][-1] == 76`,
		`def f: if . >= 100000 then . else (.+1|f)+0 end; (0|f) == 100000 and ([recurse(if . < 30000 then .+1 else empty end)]|length) == 30001`,
	} {
		got := cmdtest.Run{Command: command(), Args: []string{"-n", program}}.Do(t)
		if strings.Trim(got.Stdout, "true\n") != "" || got.Stdout == "" || got.Stderr != "" {
			t.Errorf("jq -n '%s'\ngave %.200q %.200q", program, got.Stdout, got.Stderr)
		}
	}
	for _, c := range []struct{ option, program, in string }{
		{"-R", `length == 300000 and .[:1] == "\ufffd"`, strings.Repeat("\xff", 300000)},
		{"-Rs", `length == 700000`, strings.Repeat("é\n", 350000)},
		{"-s", `length == 100000 and add == 450000`, strings.Repeat("0 1 2 3 4 5 6 7 8 9 ", 10000)},
		{"-c", `length == 400000 and .[-1:] == "\n"`, `"` + strings.Repeat(`\u00e9\n`, 200000) + `"`},
		{"-c", `length == 400003 and .[-1:] == "\""`, `"` + strings.Repeat(`é\n`, 200000) + `a\\\""`},
		{"-c", `length == 400001 and .[-1:] == "\\"`, `"` + strings.Repeat("ab", 200000) + `\\"`},
	} {
		got := cmdtest.Run{Command: command(), Args: []string{c.option, c.program}, Stdin: c.in}.Do(t)
		if got.Stdout != "true\n" || got.Stderr != "" {
			t.Errorf("jq %s '%s' gave %.200q %.200q", c.option, c.program, got.Stdout, got.Stderr)
		}
	}
}

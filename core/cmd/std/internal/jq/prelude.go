package jq

import "strings"

// definitions are the builtins that are written in jq, one a line.
const definitions = `
def _assign(paths; $value): reduce path(paths) as $p (.; setpath($p; $value));
def _modify(paths; update): reduce path(paths) as $p ([., []]; . as [$x, $del] | label $out | (($x | setpath($p; $x | getpath($p) | update)) as $y | [$y, $del] | ., break $out), [$x, $del + [$p]]) | . as [$x, $del] | $x | delpaths($del);
def recurse: def r: ., (.[]? | r); r;
def recurse(f): def r: ., (f | r); r;
def recurse(f; cond): def r: ., (f | select(cond) | r); r;
def recurse_down: recurse;
def values: select(. != null);
def nulls: select(. == null);
def scalars: select(type | . != "array" and . != "object");
def iterables: select(type | . == "array" or . == "object");
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def map_values(f): .[] |= f;
def toarray: if type == "array" then . else [.] end;
def with_entries(f): to_entries | map(f) | from_entries;
def del(f): delpaths([path(f)]);
def paths: path(..) | select(length > 0);
def paths(node_filter): . as $dot | paths | select(. as $p | $dot | getpath($p) | node_filter);
def pick(pathexps): . as $top | reduce path(pathexps) as $p (null; setpath($p; $top | getpath($p)));
def add(f): reduce f as $x (null; . + $x);
def any: any(.[]; .);
def any(f): any(.[]; f);
def any(generator; condition): isempty(first(generator | condition or empty)) | not;
def all: all(.[]; .);
def all(f): all(.[]; f);
def all(generator; condition): isempty(first(generator | condition and empty));
def isempty(g): label $go | (g | false, break $go), true;
def isvalid(f): try (f | true) catch false;
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def first: .[0];
def last: .[-1];
def last(f): reduce f as $x (null; $x);
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else first(foreach f as $x ($n; . - 1; if . < 0 then $x else empty end)) end;
def until(cond; update): def _until: if cond then . else (update | _until) end; _until;
def while(cond; update): def _while: if cond then ., (update | _while) else empty end; _while;
def repeat(f): def _repeat: f | (., _repeat); _repeat;
def range($from; $upto; $by): if $by > 0 then $from | while(. < $upto; . + $by) elif $by < 0 then $from | while(. > $upto; . + $by) else empty end;
def limit($n; f): if $n > 0 then label $out | foreach f as $item (0; . + 1; $item, if . >= $n then break $out else empty end) elif $n == 0 then empty else f end;
def skip($n; f): if $n > 0 then foreach f as $x ($n; . - 1; if . < 0 then $x else empty end) elif $n == 0 then f else error("Invalid arguments to skip") end;
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def env: $ENV;
def transpose: [range(0; map(length) | max // 0) as $i | [.[][$i]]];
def inputs: def r: input | (., r); try r catch (if . == "No more inputs" then empty else error end);
def sort_by(f): _sort_by(map([f]));
def group_by(f): _group_by(map([f]));
def unique_by(f): _unique_by(map([f]));
def min_by(f): _min_by(map([f]));
def max_by(f): _max_by(map([f]));
def halt_error: halt_error(5);
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def datesub(u; n): . - n;
def match($val): _arguments($val) as [$re, $flags] | _match($re; $flags; false) | .[];
def match($re; $flags): _match($re; $flags; false) | .[];
def test($val): _arguments($val) as [$re, $flags] | _match($re; $flags; true);
def test($re; $flags): _match($re; $flags; true);
def capture($val): match($val) | _capture;
def capture($re; $flags): match($re; $flags) | _capture;
def scan($re): scan($re; null);
def scan($re; $flags): match($re; "g" + $flags) | if (.captures | length) > 0 then [.captures | .[] | .string] else .string end;
def splits($re): split($re; null) | .[];
def splits($re; flags): split($re; flags) | .[];
def sub($re; str): sub($re; str; "");
def sub($re; str; $flags): . as $in | reduce _match($re; $flags; false)[] as $edit ({result: [], previous: 0}; $in[.previous:$edit.offset] as $gap | [$edit | _capture | str] as $inserts | reduce range(0; $inserts | length) as $ix (.; .result[$ix] += $gap + $inserts[$ix]) | .previous = $edit.offset + $edit.length) | .result[] + $in[.previous:] // $in;
def gsub($re; str; $flags): sub($re; str; $flags + "g");
def gsub($re; str): sub($re; str; "g");
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init; if .e then $init else . end | if $i | length == 2 then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1]) else setpath(["e"]; $i[0] | length == 1) end; if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def debug(msg): (msg | debug | empty), .;
def INDEX(stream; idx_expr): reduce stream as $row ({}; .[$row | idx_expr | tostring] |= $row);
def INDEX(idx_expr): INDEX(.[]; idx_expr);
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];
def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];
def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;
def ascii: [.] | implode;
def finites: select(isinfinite or isnan | not);
def get_search_list: [];
def have_literal_numbers: true;
def have_decnum: true;
`

// prelude gives the definitions by name/arity.
func prelude() map[string]string {
	all := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(definitions), "\n") {
		head := line[4:]
		end := strings.IndexAny(head, "(:")
		argc := 0
		if head[end] == '(' {
			argc = 1 + strings.Count(head[:strings.IndexByte(head, ')')], ";")
		}
		all[signature(head[:end], argc)] = line
	}
	return all
}

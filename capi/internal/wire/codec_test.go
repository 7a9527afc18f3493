package wire

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		rest string
		ok   bool
	}{
		{"\x05\xa0", 5, "\xa0", true}, {"\x18\x40\xa0", 64, "\xa0", true}, {"\x19\x01\x00", 256, "", true},
		{"", 0, "", false}, {"\x18", 0, "", false}, {"\x19\x01", 0, "", false}, {"\x1a\x00\x00\x00\x01", 0, "", false}, {"\xa0", 0, "", false}, {"\x20", 0, "", false},
	} {
		n, rest, err := Number([]byte(c.in))
		if n != c.n || string(rest) != c.rest || (err == nil) != c.ok {
			t.Errorf("Number(%q) = %d, %q, %v", c.in, n, rest, err)
		}
	}
}

func TestParams(t *testing.T) {
	var p EnvSetParams
	if err := Params([]byte("\xa3\x01\x07\x02\x61A\x03\x41\xff"), &p); err != nil || p.Sandbox != 7 || p.Name != "A" || p.Value != "\xff" {
		t.Errorf("%+v, %v", p, err)
	}
	if err := Params([]byte("\xa1\x03\x61\xff"), &p); err != nil || p.Value != "\xff" {
		t.Errorf("text that is not UTF-8: %+v, %v", p, err)
	}
	for name, in := range map[string]string{
		"an unknown key": "\xa1\x04\x01", "a wrong type": "\xa1\x01\x61A", "trailing bytes": "\xa0\xa0", "a key twice": "\xa2\x01\x01\x01\x02",
		"no map": "\x01", "nothing": "", "an indefinite length": "\xbf\x01\x01\xff", "a tag": "\xa1\x01\xc1\x01",
	} {
		if err := Params([]byte(in), &p); err == nil {
			t.Errorf("%s is accepted: %q", name, in)
		}
	}
	deep := "\xa1\x01" + strings.Repeat("\x81", 1<<20) + "\x01"
	if err := Params([]byte(deep), &p); err == nil {
		t.Error("a deep value is accepted")
	}
}

func TestAppendLeavesOutZeroFieldsAndSortsMaps(t *testing.T) {
	var b bytes.Buffer
	if err := Append(&b, Done{}); err != nil || b.String() != "\xa0" {
		t.Errorf("%q, %v", b.String(), err)
	}
	b.Reset()
	if err := Append(&b, map[string]string{"b": "1", "a": "2", "aa": ""}); err != nil || b.String() != "\xa3\x61a\x612\x61b\x611\x62aa\x60" {
		t.Errorf("%q, %v", b.String(), err)
	}
	b.Reset()
	if err := Append(&b, Output{Run: "r", Output: []Chunk{{FD: 2, Data: []byte("x")}}}); err != nil || b.String() != "\xa2\x01\x61r\x02\x81\x82\x02\x41x" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// What has a shortcut gives and takes what the general codec does.
func TestQuick(t *testing.T) {
	chunks := [][]Chunk{nil, {{FD: 1, Data: []byte("hi\n")}}, {{FD: 2}, {FD: -1, Data: bytes.Repeat([]byte("x"), 70_000)}}}
	numbers := []int64{0, 1, 23, 24, 255, 256, 65535, 65536, 1 << 32, math.MaxInt64, -1, -25, math.MinInt64}
	lists := [][]string{nil, {}, {""}, {"a", strings.Repeat("b", 300)}}
	for i, n := range numbers {
		list := lists[i%len(lists)]
		out := Output{Run: strings.Repeat("r", i*30), Output: chunks[i%len(chunks)]}
		for _, body := range []any{&Slice{Output: out}, &Calls{Output: out, Calls: make([]Call, i)},
			&Calls{Calls: []Call{{ID: "i", Name: "n", Args: list, Stdin: []byte("in"), Env: []byte("A=1\x00"), Dir: "/", ForkedFrom: "f"}}}, &Done{Output: out, Status: int(n), Steps: n, Time: n, ErrorClass: "C", Limit: "ab",
				StdoutTruncated: i%2 == 0, StderrTruncated: i%3 == 0, Unsupported: list, ToolErrors: list},
			&Loaded{Output: out, Sandbox: n}, &RunInfo{Run: out.Run, Script: "s", State: "calls", Started: n, Steps: n, Calls: make([]Call, i)}} {
			var want, got bytes.Buffer
			if err := encoding.MarshalToBuffer(body, &want); err != nil {
				t.Fatal(err)
			}
			if err := Append(&got, body); err != nil || got.String() != want.String() {
				t.Errorf("%+v: %x, not %x", body, got.Bytes(), want.Bytes())
			}
		}
		for _, p := range []any{&StartParams{Sandbox: n, Script: "s", Stdin: []byte("in"), Pipe: true, Dir: "d", Timeout: n, Suspend: true, Keep: true, Slice: n},
			&StepParams{Sandbox: n, Run: out.Run, Slice: n, Taken: int(n), Call: "c", Stdout: []byte("o"), Status: int(n), Error: "x"}, &AnswerParams{Sandbox: n, Run: "r", Call: "c", Stdout: []byte("o"), Status: int(n), Error: "x"},
			&RunParams{Sandbox: n, Run: "r"}, &SandboxParams{Sandbox: n}, &CloseParams{Sandbox: n}, &ExportParams{Sandbox: n, Key: []byte("k"), Run: "r"}, &FromStateParams{State: []byte("s"), Key: []byte("k")}} {
			var data bytes.Buffer
			if err := encoding.MarshalToBuffer(p, &data); err != nil {
				t.Fatal(err)
			}
			got := reflect.New(reflect.TypeOf(p).Elem()).Interface()
			if err := Params(data.Bytes(), got); err != nil || !reflect.DeepEqual(got, p) {
				t.Errorf("%+v comes back as %+v, %v", p, got, err)
			}
			if n > 0 && !quick(data.Bytes(), got.(quickParams)) {
				t.Errorf("%+v is not plain", p)
			}
		}
	}
}

// No shortcut takes what the general decoder refuses, or takes it for something else.
func FuzzQuick(f *testing.F) {
	f.Add([]byte("\xa3\x01\x07\x02\x61A\x04\x41\xff"))
	f.Add([]byte("\xa4\x01\x1b\x00\x00\x01\x00\x00\x00\x00\x01\x02\x67echo hi\x08\x1b\x00\x00\x00\x06\xfc\x23\xac\x00\x0b\xf5"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range []quickParams{new(StartParams), new(StepParams), new(AnswerParams), new(ExportParams), new(FromStateParams)} {
			if !quick(data, p) {
				continue
			}
			want := reflect.New(reflect.TypeOf(p).Elem()).Interface()
			if err := decoding.Unmarshal(data, want); err != nil || !reflect.DeepEqual(want, p) {
				t.Errorf("%x: %+v, the general decoder %+v, %v", data, p, want, err)
			}
		}
	})
}

// Whatever bytes come, the decoder of every method's arguments gives a value or an error; so does that of its result.
func FuzzParams(f *testing.F) {
	f.Add([]byte("\xa3\x01\x07\x02\x61A\x03\x41\xff"))
	f.Add([]byte("\xa1\x09\xa1\x61a\x41b"))
	types := map[reflect.Type]bool{}
	for _, m := range Methods() {
		for _, v := range []any{m.Params, m.Result} {
			if v != nil {
				types[reflect.TypeOf(v)] = true
			}
		}
	}
	if len(types) < 20 {
		f.Fatalf("the methods have %d types", len(types))
	}
	for _, value := range []string{"\x01", "\x41a", "\x61a", "\xf5", "\xa0", "\x81\xa1\x01\x41a", "\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00", "\x1b\xff\xff\xff\xff\xff\xff\xff\xff"} {
		for key := range byte(12) {
			f.Add([]byte("\xa1" + string(rune(key)) + value))
		}
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		for t := range types {
			_ = Params(data, reflect.New(t).Interface())
		}
	})
}

func BenchmarkRequestAndAnswer(b *testing.B) {
	in := []byte("\xa3\x01\x1b\x00\x00\x01\x00\x00\x00\x00\x01\x02\x67echo hi\x08\x1b\x00\x00\x00\x06\xfc\x23\xac\x00")
	done := Done{Output: Output{Run: "a1b2c3d4e5f60718", Output: []Chunk{{FD: 1, Data: []byte("hi\n")}}}, Steps: 12, Time: 4200}
	var buf bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		var p StartParams
		if err := Params(in, &p); err != nil {
			b.Fatal(err)
		}
		buf.Reset()
		if err := Append(&buf, &done); err != nil {
			b.Fatal(err)
		}
	}
}

package gz

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand"
	"reflect"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// samples are texts of all sorts and sizes.
func samples() map[string][]byte {
	r := rand.New(rand.NewSource(1))
	noise := make([]byte, 300_000)
	r.Read(noise)
	words := []byte{}
	for len(words) < 400_000 {
		words = append(words, []string{"alpha ", "beta ", "gamma\n", "delta "}[r.Intn(4)]...)
	}
	return map[string][]byte{"empty": {}, "one": {'x'}, "noise": noise, "words": words, "zeros": make([]byte, 300_000), "block": words[:block], "window": words[:window+1]}
}

// reload sends a value through its saved form.
func reload[T any](t *testing.T, v *T) {
	t.Helper()
	b, err := cbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fresh T
	if err := cbor.Unmarshal(b, &fresh); err != nil {
		t.Fatal(err)
	}
	*v = fresh
}

func pack(t *testing.T, text []byte, level, step int, save bool) []byte {
	var w Writer
	out := w.Header("name", 5, level)
	for len(text) > step {
		out = append(out, w.Write(text[:step], level, false)...)
		text = text[step:]
		if save {
			reload(t, &w)
		}
	}
	return append(out, w.Write(text, level, true)...)
}

func unpack(t *testing.T, data []byte, step int, save bool) ([]byte, error) {
	var r Reader
	var out []byte
	for over := false; !over; {
		if r.Hungry() {
			n := min(step, len(data))
			r.Feed(data[:n])
			data = data[n:]
			r.EOF = n == 0
		}
		b, err := r.Next()
		out = append(out, b...)
		if err != nil {
			return out, err
		}
		over = r.Over()
		if save {
			reload(t, &r)
		}
	}
	return out, nil
}

func TestRoundTrip(t *testing.T) {
	for name, text := range samples() {
		plain := pack(t, text, 6, 65536, false)
		if saved := pack(t, text, 6, 65536, true); !bytes.Equal(plain, saved) {
			t.Errorf("%s: a save changes what is written", name)
		}
		if other := pack(t, text, 6, 1000, false); !bytes.Equal(plain, other) {
			t.Errorf("%s: what is written depends on how it comes in", name)
		}
		z, err := gzip.NewReader(bytes.NewReader(plain))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: the standard library reads something else: %v", name, err)
		}
		for _, save := range []bool{false, true} {
			if got, err := unpack(t, plain, 30000, save); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s: read back %d bytes of %d, %v", name, len(got), len(text), err)
			}
		}
	}
}

func TestReadsOthers(t *testing.T) {
	for name, text := range samples() {
		for _, level := range []int{gzip.NoCompression, gzip.BestSpeed, gzip.BestCompression, gzip.HuffmanOnly} {
			var b bytes.Buffer
			z, _ := gzip.NewWriterLevel(&b, level)
			z.Write(text)
			z.Close()
			twice := append(append([]byte(nil), b.Bytes()...), b.Bytes()...)
			got, err := unpack(t, twice, 30000, true)
			if err != nil || !bytes.Equal(got, append(append([]byte(nil), text...), text...)) {
				t.Errorf("%s level %d: %d bytes, %v", name, level, len(got), err)
			}
		}
	}
}

func TestBroken(t *testing.T) {
	text := samples()["words"]
	good := pack(t, text, 6, 65536, false)
	if _, err := unpack(t, good[:len(good)/2], 4096, false); err != ErrEOF {
		t.Errorf("cut in half: %v", err)
	}
	if _, err := unpack(t, append(append([]byte(nil), good...), "junk"...), 4096, false); err != ErrTrailing {
		t.Errorf("junk behind: %v", err)
	}
	if _, err := unpack(t, []byte("this is text and long enough"), 4096, false); err != ErrFormat {
		t.Errorf("not gzip: %v", err)
	}
	r := rand.New(rand.NewSource(2))
	for range 100 {
		bad := append([]byte(nil), good[:20000]...)
		bad[20+r.Intn(len(bad)-20)] ^= 1 << r.Intn(8)
		if _, err := unpack(t, bad, 4096, false); err == nil {
			t.Error("a damaged stream was read without an error")
		}
	}
}

func TestPlainData(t *testing.T) {
	for _, v := range []any{Writer{}, Reader{}} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && f.Tag.Get("cbor") == "" {
				t.Errorf("%s.%s has no number", typ, f.Name)
			}
		}
	}
}

func BenchmarkRead(b *testing.B) {
	text := samples()["words"]
	var w Writer
	data := append(w.Header("", 0, 6), w.Write(text, 6, true)...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r := Reader{Raw: data, EOF: true}
		for !r.Over() {
			if _, err := r.Next(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

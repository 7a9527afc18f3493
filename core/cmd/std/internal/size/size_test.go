package size

import "testing"

func TestParse(t *testing.T) {
	for in, want := range map[string]int64{"0": 0, "12": 12, "1K": 1024, "1kB": 1000, "2KiB": 2048, "K": 1024, "3M": 3 << 20, "1b": 512, "9223372036854775807": 1<<63 - 1} {
		if got, err := Parse(in, "bkKMG"); err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v", in, got, err)
		}
	}
	for in, want := range map[string]error{"": ErrInvalid, "x": ErrInvalid, "1Q": ErrInvalid, "1KX": ErrInvalid, "-1": ErrInvalid, "9223372036854775808": ErrRange, "9999999999999G": ErrRange} {
		if _, err := Parse(in, "bkKMG"); err != want {
			t.Errorf("Parse(%q): %v, want %v", in, err, want)
		}
	}
}

func TestHuman(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 1023: "1023", 1024: "1.0K", 1025: "1.1K", 5000: "4.9K", 10240: "10K", 10241: "11K", 1048575: "1.0M", 1 << 30: "1.0G"} {
		if got := Human(n, 1024); got != want {
			t.Errorf("Human(%d) = %s, want %s", n, got, want)
		}
	}
}

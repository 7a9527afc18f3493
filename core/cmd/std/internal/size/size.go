// Package size reads and writes sizes as GNU tools do: "10K", "4.0M", block counts.
package size

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"eryxsh/vfs"
)

// Units of a size, by power.
const letters = "KMGTPEZYRQ"

// Errors of Parse.
var (
	ErrInvalid = errors.New("invalid number")
	//lint:ignore ST1005 the message is GNU's, which prints it behind a colon
	ErrRange = errors.New("Value too large for defined data type")
)

// Parse reads NUMBER[SUFFIX]: K, KiB = 1024; kB, KB = 1000; b = 512; c = 1 as far as allowed has them.
func Parse(s, allowed string) (int64, error) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	n := uint64(1)
	if i > 0 {
		var err error
		if n, err = strconv.ParseUint(s[:i], 10, 63); err != nil {
			return 0, ErrRange
		}
	}
	suf := s[i:]
	if i == 0 && suf == "" {
		return 0, ErrInvalid
	}
	mul, ok := unit(suf, allowed)
	if !ok {
		return 0, ErrInvalid
	}
	hi, lo := bits.Mul64(n, mul)
	if hi != 0 || mul == 0 && n != 0 || lo > math.MaxInt64 {
		return 0, ErrRange
	}
	return int64(lo), nil
}

// unit is what a suffix stands for; 0 if that is more than 64 bits.
func unit(suf, allowed string) (uint64, bool) {
	if suf == "" {
		return 1, true
	}
	if strings.IndexByte(allowed, suf[0]) < 0 {
		return 0, false
	}
	if len(suf) == 1 {
		switch suf[0] {
		case 'b':
			return 512, true
		case 'c':
			return 1, true
		case 'w':
			return 2, true
		}
	}
	base := uint64(1024)
	switch suf[1:] {
	case "", "iB":
	case "B", "D":
		base = 1000
	default:
		return 0, false
	}
	l := suf[0]
	if l == 'k' || l == 'm' || l == 'g' || l == 't' {
		l -= 'a' - 'A'
	}
	p := strings.IndexByte(letters, l)
	if p < 0 {
		return 0, false
	}
	n := uint64(1)
	for ; p >= 0; p-- {
		hi, lo := bits.Mul64(n, base)
		if hi != 0 {
			return 0, true
		}
		n = lo
	}
	return n, true
}

// Human writes n bytes as ls -h does: rounded up, one decimal below 10.
func Human(n uint64, base uint64) string {
	if n < base {
		return strconv.FormatUint(n, 10)
	}
	unit := base
	p := 0
	for p < 5 && n/unit >= base {
		unit *= base
		p++
	}
	l := letters[p]
	if base == 1000 && p == 0 {
		l = 'k'
	}
	whole, rest := n/unit, n%unit
	if whole < 10 {
		tenths := rest * 10 / unit
		if rest*10%unit != 0 {
			tenths++
		}
		if tenths == 10 {
			whole, tenths = whole+1, 0
		}
		if whole < 10 {
			return strconv.FormatUint(whole, 10) + "." + strconv.FormatUint(tenths, 10) + string(l)
		}
	} else if rest != 0 {
		whole++
	}
	if whole == base && p < 5 {
		p++
		return "1.0" + string(letters[p])
	}
	return strconv.FormatUint(whole, 10) + string(l)
}

// Block is how a listing writes sizes.
type Block struct {
	Unit   int64  `cbor:"1,keyasint,omitempty"` // bytes a unit
	Human  uint64 `cbor:"2,keyasint,omitempty"` // 1024 or 1000 for -h and --si, else 0
	Suffix string `cbor:"3,keyasint,omitempty"` // written after the number
	Group  bool   `cbor:"4,keyasint,omitempty"`
}

// ParseBlock reads the argument of --block-size.
func ParseBlock(s string) (Block, error) {
	b := Block{}
	t := strings.TrimPrefix(s, "'")
	switch t {
	case "human-readable":
		return Block{Unit: 1, Human: 1024}, nil
	case "si":
		return Block{Unit: 1, Human: 1000}, nil
	}
	n, err := Parse(t, "bEGKkMPTYZmgt")
	if err != nil {
		return b, err
	}
	if n == 0 {
		return b, ErrInvalid
	}
	b.Unit = n
	if t[0] < '0' || t[0] > '9' {
		b.Suffix = t
		if len(t) == 1 || t[1:] == "iB" {
			b.Suffix = strings.ToUpper(t[:1])
			if len(t) > 1 {
				b.Suffix += "iB"
			}
		} else if t[0] == 'K' {
			b.Suffix = "kB"
		}
	}
	return b, nil
}

// FromEnvironment is the block size that the environment asks for, by the variable of one utility or by those of
// all; given says that it was one of those that count for the sizes of files too. What is wrong there does not count.
func FromEnvironment(env func(string) (string, bool), own string) (b Block, given bool) {
	b = Block{Unit: 1024}
	if _, ok := env("POSIXLY_CORRECT"); ok {
		b.Unit = 512
	}
	for _, variable := range [...]string{own, "BLOCK_SIZE", "BLOCKSIZE"} {
		if s, ok := env(variable); ok {
			if parsed, err := ParseBlock(s); err == nil {
				b = parsed
			}
			return b, variable != "BLOCKSIZE"
		}
	}
	return b, false
}

// Format writes n bytes in units, rounded up.
func (b Block) Format(n int64) string {
	if b.Human != 0 {
		return Human(uint64(n), b.Human)
	}
	if b.Unit <= 1 {
		return strconv.FormatInt(n, 10) + b.Suffix
	}
	q := n / b.Unit
	if n%b.Unit > 0 {
		q++
	}
	return strconv.FormatInt(q, 10) + b.Suffix
}

// Blocks is how many 512-byte blocks an inode takes, as a file system with
// blocks of 4 KiB counts: a directory takes one, a link none.
func Blocks(st vfs.Stat) int64 {
	switch {
	case st.Mode.IsDir():
		return 8
	case st.Mode.IsRegular():
		return (st.Stored + 4095) / 4096 * 8
	}
	return 0
}

package diskname

import (
	"math"
	"strconv"
	"strings"
)

// The endings of log files. They are a hint for people: what a file is, its first
// bytes say.
const (
	RawExt  = ".jsonl"
	ZstdExt = ".jsonl.zstd"
)

// SplitExt takes the ending of a log file off name.
func SplitExt(name string) (stem string, ok bool) {
	if stem, ok = strings.CutSuffix(name, ZstdExt); !ok {
		stem, ok = strings.CutSuffix(name, RawExt)
	}
	return stem, ok && stem != ""
}

// LogName is the late layout's file for a format generation of at least 0, and
// for format 0 also the one that this toolkit's own logs have.
func LogName(generation int, ext string) string {
	if generation == 0 {
		return "session" + ext
	}
	return "session.v" + strconv.Itoa(generation) + ext
}

// Generation is the format generation that a file name of the late layout
// states. Names with leading zeros, capitals, v0 or another suffix are not
// generations: they are temporary or foreign, and none of a reader's business.
// Numbers beyond an int are its largest: newer than anything, all the same.
func Generation(name string) (generation int, ok bool) {
	stem, ok := SplitExt(name)
	if !ok {
		return 0, false
	}
	if stem == "session" {
		return 0, true
	}
	digits, ok := strings.CutPrefix(stem, "session.v")
	if !ok || digits == "" || digits[0] == '0' {
		return 0, false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = math.MaxInt
	}
	return n, true
}

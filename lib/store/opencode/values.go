package opencode

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// present reports whether a member is there and not null.
func present(v jstext.Value) bool { return v.Exists() && v.Kind() != jstext.Null }

// text is a copy of a string member, so that a short one does not keep a long record
// in memory; empty for other kinds.
func text(v jstext.Value) string {
	s, _ := v.Text()
	return strings.Clone(s)
}

// millis is a time of a record: OpenCode writes milliseconds, others who write its
// format write ISO 8601 too. 0 stands for anything else.
func millis(v jstext.Value) int64 {
	if f, ok := v.Float(); ok {
		return clampMillis(f)
	}
	s, _ := v.Text()
	return parseMillis(s)
}

func parseMillis(s string) int64 {
	s = strings.TrimSpace(s)
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return clampMillis(f)
	}
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return clampMillis(float64(t.UnixMilli()))
		}
	}
	return 0
}

// clampMillis keeps a time in what a header may hold: a safe integer from 0.
func clampMillis(f float64) int64 {
	if !(f > 0) || f > jstext.MaxSafeInt {
		return 0
	}
	return int64(math.Trunc(f))
}

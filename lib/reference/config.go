package reference

import (
	"fmt"
	"math"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// The limits where a Config does not say otherwise, and the one nobody can raise.
const (
	DefaultMaxReferences     = 3
	DefaultMaxReferenceBytes = 65_536
	DefaultCandidateLimit    = 50
	HardMaxReferences        = 3
)

// Config bounds a preparation. A nil field is its default, so the zero value is
// the usual configuration; a value that was given must be positive, and a safe
// integer to JavaScript.
type Config struct {
	MaxReferences     *int // distinct sessions a message may reference, at most 3
	CandidateLimit    *int // sessions a candidate query offers
	MaxReferenceBytes *int // serialised bytes of one session in the block
}

// limits is a checked Config.
type limits struct{ references, candidates, bytes int }

// ParseConfig reads {maxReferences, candidateLimit, maxReferenceBytes}, each
// optional; other members are passed over. The error is InvalidConfig.
func ParseConfig(v jstext.Value) (Config, error) {
	var c Config
	for _, f := range []struct {
		key string
		to  **int
	}{{"maxReferences", &c.MaxReferences}, {"candidateLimit", &c.CandidateLimit}, {"maxReferenceBytes", &c.MaxReferenceBytes}} {
		m := v.Get(f.key)
		if !m.Exists() {
			continue
		}
		n, ok := m.Int()
		if !ok || n <= 0 {
			return Config{}, notPositive(f.key, m.JSON())
		}
		limit := int(min(n, math.MaxInt)) // a 32-bit int holds no more, and nothing reaches it
		*f.to = &limit
	}
	_, err := c.check()
	return c, err
}

// check fills in the defaults. All are asked to be positive before any is asked to
// be small enough (vectors/prepare.json, config-order).
func (c Config) check() (limits, error) {
	l := limits{DefaultMaxReferences, DefaultCandidateLimit, DefaultMaxReferenceBytes}
	for _, f := range []struct {
		key   string
		given *int
		to    *int
	}{
		{"maxReferences", c.MaxReferences, &l.references},
		{"candidateLimit", c.CandidateLimit, &l.candidates},
		{"maxReferenceBytes", c.MaxReferenceBytes, &l.bytes},
	} {
		if f.given == nil {
			continue
		}
		if !positive(*f.given) {
			return limits{}, notPositive(f.key, fmt.Sprint(*f.given))
		}
		*f.to = *f.given
	}
	if l.references > HardMaxReferences {
		return limits{}, invalidConfig("config-max", "maxReferences is %d; at most %d sessions can be referenced", l.references, HardMaxReferences)
	}
	return l, nil
}

func positive(n int) bool { return n > 0 && int64(n) <= jstext.MaxSafeInt }

func notPositive(key, value string) error {
	return invalidConfig("config-positive", "%s is %s; it must be a positive integer", key, value)
}

func invalidConfig(rule, format string, args ...any) error {
	return &fault.Error{Kind: fault.Usage, Code: fault.InvalidConfig, Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// Candidates is how many sessions a candidate query offers: what this query
// asks for, which may be more than the configuration says, or the configured
// number. The error is InvalidConfig for the configuration and InvalidReference
// for the query's own limit.
func (c Config) Candidates(asked *int) (int, error) {
	l, err := c.check()
	switch {
	case err != nil:
		return 0, err
	case asked == nil:
		return l.candidates, nil
	case !positive(*asked):
		return 0, invalidReference("candidate-limit", "a limit of %d candidates: not a positive integer", *asked)
	}
	return *asked, nil
}

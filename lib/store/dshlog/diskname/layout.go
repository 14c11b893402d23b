package diskname

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// Bucket is the early layout's directory for a working directory; nil is none.
func Bucket(cwd *string) string {
	if cwd == nil {
		return NoCwd
	}
	// A lone surrogate reaches the hash as U+FFFD, as it does in any JavaScript
	// host that encodes a string (vectors/path, tag lone-surrogate).
	sum := sha256.Sum256([]byte(jstext.ToUTF8(*cwd)))
	return "cwd-" + hex.EncodeToString(sum[:])[:12]
}

// keyMax is what a project key keeps of itself, so that with the dashes around it
// a name is at most 255 bytes.
const keyMax = 251

// ProjectDir is the late layout's directory for a working directory; nil is none.
// Different working directories may share one.
func ProjectDir(cwd *string) string {
	if cwd == nil {
		return NoCwd
	}
	var key []byte
	rest := *cwd
	for rest != "" {
		i := strings.IndexAny(rest, `/\:`)
		if i < 0 {
			i = len(rest)
		}
		key = appendUnits(key, rest[:i])
		next := strings.TrimLeft(rest[i:], `/\:`)
		if len(next) < len(rest[i:]) {
			key = append(key, '-')
		}
		rest = next
	}
	k := strings.TrimLeft(string(key), "-")
	if k == "" {
		k = "root"
	}
	return "--" + k[:min(len(k), keyMax)] + "--"
}

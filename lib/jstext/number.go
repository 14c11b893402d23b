package jstext

import (
	"math"
	"strconv"
)

// appendNumber writes a number literal as JavaScript would, or keeps it where
// that would change its value.
func appendNumber(dst []byte, lit string) []byte {
	if short, ok := survives(lit); ok && short != "" {
		return append(dst, short...)
	}
	return append(dst, lit...)
}

func isPlainInt(lit string) bool {
	for i := range len(lit) {
		if c := lit[i]; c < '0' || c > '9' {
			return i == 0 && c == '-' && len(lit) > 1 && lit[1] != '0' && isPlainInt(lit[1:])
		}
	}
	return true
}

// AppendFloat appends a finite double as Number.prototype.toString does.
func AppendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if a := math.Abs(f); a < 1e-6 || a >= 1e21 {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		// Go pads the exponent to two digits, JavaScript does not.
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

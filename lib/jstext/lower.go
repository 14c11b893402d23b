package jstext

import "unicode"

// ToLower is String.prototype.toLowerCase: the full case mapping of Unicode, in
// which İ becomes two code points and a Σ that ends a word ς. Lone surrogates stay.
//
// Rule: ECMA-262; Unicode 17, chapter 3.13 and SpecialCasing. Go's own tables are
// of Unicode 15.
func ToLower(s string) string {
	if isLowerASCII(s) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		switch {
		case r == 'İ':
			out = append(out, "i\u0307"...)
		case r == 'Σ' && endsWord(s, i, i+n):
			out = append(out, "ς"...)
		case r == unicode.ReplacementChar && n == 1:
			out = append(out, s[i])
		default:
			out = AppendRune(out, lowerRune(r))
		}
		i += n
	}
	return string(out)
}

func isLowerASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// lowerRune is the simple mapping, with what came after Unicode 15.
func lowerRune(r rune) rune {
	switch {
	case r >= 0x10D50 && r <= 0x10D65:
		return r + 0x20
	case r >= 0x16EA0 && r <= 0x16EB8:
		return r + 0x1B
	}
	switch r {
	case 0x1C89, 0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA:
		return r + 1
	case 0xA7CB:
		return 0x0264
	case 0xA7DC:
		return 0x019B
	}
	return unicode.ToLower(r)
}

// endsWord reports whether the sigma at s[i:end] is a final one: a cased letter
// stands before it and none after it, not counting what case ignores.
func endsWord(s string, i, end int) bool {
	before := false
	for i > 0 && !before {
		start := i - 1
		for start > 0 && i-start < 4 && s[start]&0xC0 == 0x80 {
			start--
		}
		r, _ := DecodeRune(s[start:i])
		if !caseIgnorable(r) {
			if !cased(r) {
				return false
			}
			before = true
		}
		i = start
	}
	if !before {
		return false
	}
	for end < len(s) {
		r, n := DecodeRune(s[end:])
		if !caseIgnorable(r) {
			return !cased(r)
		}
		end += n
	}
	return true
}

func cased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) ||
		unicode.In(r, unicode.Other_Uppercase, unicode.Other_Lowercase) || lowerRune(r) != r
}

func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', 0xB7, 0x387, 0x55F, 0x5F4, 0x2018, 0x2019, 0x2024, 0x2027,
		0xFE13, 0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A: // word breaks inside a word
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

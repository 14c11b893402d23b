package model

import "strings"

// DecodeInPieces decodes b as if it came in pieces of the given size.
func DecodeInPieces(b []byte, size int) string {
	var d decoder
	var out strings.Builder
	for len(b) > size {
		out.WriteString(d.decode(b[:size]))
		b = b[size:]
	}
	out.WriteString(d.decode(b))
	out.WriteString(d.end())
	return out.String()
}

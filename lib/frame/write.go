package frame

const (
	// Heading is the line that every frame begins with.
	Heading = "## Referenced sessions"

	// RequestHeading parts a block from what the user asks (SPEC 7).
	RequestHeading = "\n\n## My request:\n"

	openTag  = "<referenced-sessions>"
	closeTag = "</referenced-sessions>"
)

// Write returns the block of some snapshots for a place. Each snapshot is one JSON
// object written tag-safe (jstext.AppendQuoteTagSafe): so the closing tag stands in
// the block once, and no mention of a session is found in it.
func Write(p Place, snapshots [][]byte) string {
	b := []byte(Heading + "\n\n" + Warning(p) + "\n\n" + openTag + "\n[")
	for i, s := range snapshots {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, s...)
	}
	return string(append(b, "]\n"+closeTag...))
}

// Prompt returns block and request as one text.
func Prompt(block, request string) string { return block + RequestHeading + request }

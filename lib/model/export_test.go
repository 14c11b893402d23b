package model

import (
	"net/http"
	"strings"
	"time"

	"github.com/dsh-toolkit/dsh/lib/jstext"
)

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

// FeedEvents takes events of one stream in, and returns what was emitted, joined,
// and what the answer is.
func FeedEvents(events ...[]byte) (emitted, text string) {
	var out strings.Builder
	s := &stream{chat: NewChat(ChatOptions{}), text: pieces{emit: func(p string) { out.WriteString(p) }}}
	for _, e := range events {
		if s.event(e) != nil {
			break
		}
	}
	s.text.end()
	return out.String(), s.text.all.String()
}

// ChatBody is the body of a request.
func ChatBody(model string, messages []jstext.Value) string { return string(chatBody(model, messages)) }

// Wait is how long a request is held back after that many tries and that response.
func Wait(again int, res *http.Response) time.Duration { return wait(minWait, maxWait, again, res) }

// IsLocal is isLocal.
var IsLocal = isLocal

package claude

import (
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// form is how records look: nearly all name their session; a summary and a snapshot of
// files do not.
var form = jsonl.Form{
	Shape: jsonl.Shape{"type": nil, "sessionId": nil, "leafUuid": nil, "messageId": nil, "snapshot": {}},
	Is: func(v jstext.Value) bool {
		text := func(key string) bool { return v.Get(key).Kind() == jstext.String }
		switch typ, _ := v.Get("type").Text(); typ {
		case "":
			return false
		case "summary":
			return text("leafUuid") || text("sessionId")
		case "file-history-snapshot":
			return text("messageId") && v.Get("snapshot").Kind() == jstext.Object
		}
		return text("sessionId")
	},
}

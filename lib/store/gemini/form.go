package gemini

import (
	"slices"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/jsonl"
)

// form is how the records of a journal look. The messages of a replacing list look like
// those that are records.
var form = jsonl.Form{
	Shape: jsonl.Shape{
		"sessionId": nil, "projectHash": nil, "$set": {}, "$rewindTo": nil,
		"id": nil, "timestamp": nil, "type": nil, "content": {},
	},
	Is:   isRecord,
	List: "messages",
}

func isRecord(v jstext.Value) bool {
	text := func(key string) bool { return v.Get(key).Kind() == jstext.String }
	typ, _ := v.Get("type").Text()
	switch {
	case v.Get("$set").Kind() == jstext.Object, text("$rewindTo"), text("sessionId") && text("projectHash"):
		return true
	}
	return slices.Contains(messageTypes, typ) && text("id") && text("timestamp") && v.Get("content").Exists()
}

var messageTypes = []string{"user", "gemini", "info", "error", "warning"}

package session_test

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// Reading an event from its text is parsing the text, then the event.
func TestReadEvent(t *testing.T) {
	for _, text := range []string{
		`{"type":"user/message","seq":3,"time":5,"data":{"a":[1,"}"]},"surfaceOp":"append","sourceEventSeqs":[1]}`,
		` { "seq" : 1 , "type" : "a\u002fb" , "seq" : 2 } `, `{}`, `null`, `5`, `"x"`, `[{"type":"x"}]`,
		`{"type":5,"seq":"x","time":1.5}`, `{"seq":-1}`, `{"seq":9007199254740993}`, `{"seq":1e1}`,
		``, ` `, `{`, `{"type":"x"`, `{"type":"x"}}`, `{"type":"x",}`, `{"type" "x"}`, `{type:1}`, `{"a":1 "b":2}`,
	} {
		v, wantErr := jstext.Parse(text)
		got, err := session.ReadEvent(text)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%s: error %v, want %v", text, err, wantErr)
		}
		if want := session.ParseEvent(v); err == nil && got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	const line = `{"type":"turn/start","seq":7,"time":1,"data":{"turn":1,"trigger":{"kind":"message"}}}`
	if n := testing.AllocsPerRun(100, func() { _, _ = session.ReadEvent(line) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

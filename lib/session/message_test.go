package session_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/session"
)

func TestMessageShapes(t *testing.T) {
	tests := []struct {
		name, event  string
		role         session.Role
		text, shown  string
		byPerson     bool
		isCheckpoint bool
	}{
		{
			"early prompt", `{"type":"user/message","data":{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}],"source":{"kind":"user"}}}`,
			session.User, "a\nb", "a\nb", true, false,
		},
		{
			"early prompt with contexts", `{"type":"user/message","data":{"content":[{"type":"text","text":"BAKED"}],"source":{"kind":"user"},"envelope":{"displayContent":[{"type":"text","text":"typed"}],"prefixContexts":[]}}}`,
			session.User, "BAKED", "typed", true, false,
		},
		{
			"envelope that shows nothing", `{"type":"user/message","data":{"content":[{"type":"text","text":"BAKED"}],"source":{"kind":"user"},"envelope":{"displayContent":[]}}}`,
			session.User, "BAKED", "", true, false,
		},
		{
			"envelope without display", `{"type":"user/message","data":{"content":[{"type":"text","text":"a"}],"source":{"kind":"user"},"envelope":{"displayContent":null}}}`,
			session.User, "a", "a", true, false,
		},
		{
			"late prompt", `{"type":"user/message","data":{"id":"i","role":"user","content":[{"type":"text","text":"a"}],"source":{"kind":"user","rpcId":"r"}}}`,
			session.User, "a", "a", true, false,
		},
		{
			"steering", `{"type":"steering/message","data":{"turn":1,"content":[{"type":"text","text":"a"}],"source":{"kind":"user"}}}`,
			session.User, "a", "a", true, false,
		},
		{
			"context of a person", `{"type":"context/message","data":{"content":[{"type":"text","text":"a"}],"source":{"kind":"user"}}}`,
			session.User, "a", "a", false, false,
		},
		{
			"plugin", `{"type":"user/message","data":{"content":[{"type":"text","text":"a"}],"source":{"kind":"plugin","plugin":"x"}}}`,
			session.User, "a", "a", false, false,
		},
		{
			"checkpoint", `{"type":"user/message","data":{"content":[{"type":"text","text":"a"}],"source":{"kind":"plugin","plugin":"compact","compactionId":"c"}}}`,
			session.User, "a", "a", false, true,
		},
		{
			"checkpoint of format 4", `{"type":"user/message","data":{"content":[{"type":"text","text":"a"}],"source":{"kind":"compact-checkpoint","compactionId":"c"}}}`,
			session.User, "a", "a", false, true,
		},
		{
			"steering by the compactor", `{"type":"steering/message","data":{"content":[{"type":"text","text":"a"}],"source":{"kind":"plugin","plugin":"compact"}}}`,
			session.User, "a", "a", false, false,
		},
		{
			"early answer", `{"type":"assistant/message","data":{"content":[{"type":"reasoning","text":"r"},{"type":"text","text":"a"},{"type":"tool-call","id":"c"}]}}`,
			session.Assistant, "a", "a", false, false,
		},
		{
			"late answer", `{"type":"assistant/message","data":{"turn":1,"message":{"role":"assistant","content":[{"type":"text","text":"a"}],"source":{"kind":"model"}},"stream":[],"interrupted":true}}`,
			session.Assistant, "a", "a", false, false,
		},
		{
			"system", `{"type":"system/message","data":{"message":{"content":[{"type":"text","text":"a"}],"source":{"kind":"system-prompt"}}}}`,
			session.System, "a", "a", false, false,
		},
		{
			"tool", `{"type":"tool/result","data":{"callId":"c","content":[{"type":"text","text":"a"}]}}`,
			session.Tool, "a", "a", false, false,
		},
		{"turn", `{"type":"turn/start","data":{"content":[{"type":"text","text":"a"}]}}`, "", "", "", false, false},
		{"text that is none", `{"type":"user/message","data":{"content":[{"type":"text"},{"type":"text","text":5},7,{"text":"a"}]}}`, session.User, "", "", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := session.MessageOf(parseEvents(t, tt.event)[0])
			if m.Role != tt.role {
				t.Errorf("role %q, want %q", m.Role, tt.role)
			}
			if got := session.Text(m.Content); got != tt.text {
				t.Errorf("text %q, want %q", got, tt.text)
			}
			if got := session.Text(m.Display()); got != tt.shown {
				t.Errorf("display %q, want %q", got, tt.shown)
			}
			if m.ByPerson() != tt.byPerson || m.Checkpoint() != tt.isCheckpoint {
				t.Errorf("by a person %v, a checkpoint %v", m.ByPerson(), m.Checkpoint())
			}
		})
	}
}

func TestMessageReferences(t *testing.T) {
	want := []session.Cited{{"a", "first"}, {"b", "b"}}
	for name, event := range map[string]string{
		"envelope": `{"type":"user/message","data":{"content":[],"source":{"kind":"user"},"envelope":{"displayContent":[],"prefixContexts":[
			{"source":{"kind":"plugin","plugin":"other"},"meta":{"kind":"other","references":[{"sessionId":"no"}]}},
			{"source":{"kind":"plugin","plugin":"session-reference"},"meta":{"kind":"session-reference","version":1,"references":[{"sessionId":"a","label":"first"},{"sessionId":"b"},{"label":"no id"}]}}]}}}`,
		"own message": `{"type":"user/message","data":{"role":"user","content":[],"source":{"kind":"session-reference","form":"recall","references":[{"sessionId":"a","label":"first"},{"sessionId":"b"}]}}}`,
	} {
		if got := session.MessageOf(parseEvents(t, event)[0]).References(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestBuilder(t *testing.T) {
	var b session.Builder
	cwd, seq := "/a \"b\"", int64(9)
	b.Checkpoint(1, 10, "summary")
	b.User(3, 11, "hi\xed\xa0\xbd")
	b.Assistant(4, 12, "one", "p", "m")
	b.Assistant(7, 13, "two", "p", "m")
	b.User(8, 14, "bye")
	s := b.Surface(session.NewHeader("x", 5, &cwd), &seq, nil)
	want := `{"session":{"version":0,"id":"x","createdAt":5,"cwd":"/a \"b\"","delegationDepth":0},"capturedThroughSeq":9,"events":[` + strings.Join([]string{
		`{"type":"user/message","seq":1,"time":10,"data":{"content":[{"type":"text","text":"summary"}],"source":{"kind":"plugin","plugin":"compact"}},"surfaceOp":"append"}`,
		`{"type":"user/message","seq":3,"time":11,"data":{"content":[{"type":"text","text":"hi\ud83d"}],"source":{"kind":"user"}},"surfaceOp":"append"}`,
		`{"type":"assistant/message","seq":4,"time":12,"data":{"turn":1,"step":1,"content":[{"type":"text","text":"one"}],"provenance":{"provider":"p","model":"m"}},"surfaceOp":"append"}`,
		`{"type":"assistant/message","seq":7,"time":13,"data":{"turn":1,"step":2,"content":[{"type":"text","text":"two"}],"provenance":{"provider":"p","model":"m"}},"surfaceOp":"append"}`,
		`{"type":"user/message","seq":8,"time":14,"data":{"content":[{"type":"text","text":"bye"}],"source":{"kind":"user"}},"surfaceOp":"append"}`,
	}, ",") + `]}`
	if got := string(s.AppendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if m := session.MessageOf(s.Events[0]); !m.Checkpoint() {
		t.Error("the checkpoint is none")
	}
	back, err := session.ParseSurface(want)
	if err != nil || string(back.AppendJSON(nil)) != want || *back.Header.Cwd != cwd || *back.CapturedThroughSeq != 9 {
		t.Errorf("read back: %v, %s", err, back.AppendJSON(nil))
	}
}

func TestParseSurfaceRefuses(t *testing.T) {
	const ok = `{"session":{"version":2,"id":"x","createdAt":5},"capturedThroughSeq":null,"events":[{"type":"user/message","seq":0,"data":{}}]}`
	if _, err := session.ParseSurface(ok); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, old, new string
		kind           fault.Kind
		message        string
	}{
		{"cut", `]}`, ``, fault.Damaged, "not JSON"},
		{"null", ok, `null`, fault.Damaged, "session is not an object"},
		{"no session", `"session"`, `"sess"`, fault.Damaged, "session is not an object"},
		{"newer", `:2`, `:5`, fault.Unsupported, "session format 5 is newer than this tool reads (4)"},
		{"version", `:2`, `:-1`, fault.Damaged, "session.version"},
		{"id", `"x"`, `7`, fault.Damaged, "session.id"},
		{"created", `:5`, `:5.5`, fault.Damaged, "session.createdAt"},
		{"cwd", `"createdAt"`, `"cwd":null,"createdAt"`, fault.Damaged, "session.cwd"},
		{"no captured", `"capturedThroughSeq"`, `"captured"`, fault.Damaged, "capturedThroughSeq"},
		{"captured", `null`, `-1`, fault.Damaged, "capturedThroughSeq"},
		{"events", `[{"type":"user/message","seq":0,"data":{}}]`, `{}`, fault.Damaged, "events is not"},
		{"seq", `:0`, `:"0"`, fault.Damaged, "events[0] has no seq"},
		{"type", `user/message`, `context/message`, fault.Damaged, "events[0] is of type \"context/message\""},
		{"data", `{}}`, `[]}`, fault.Damaged, "events[0].data"},
		{"event", `{"type":"user/message","seq":0,"data":{}}`, `7`, fault.Damaged, "events[0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := session.ParseSurface(strings.Replace(ok, tt.old, tt.new, 1))
			f := fault.Of(err)
			if s != nil || f == nil || f.Kind != tt.kind || f.Code != fault.ReadFailed || !strings.Contains(f.Message, tt.message) {
				t.Errorf("got %v, %#v", s, f)
			}
		})
	}
}

func FuzzParseSurface(f *testing.F) {
	f.Add(`{"session":{"version":0,"id":"\ud800","createdAt":5,"cwd":"/"},"capturedThroughSeq":3,"events":[{"type":"user/message","seq":1,"data":{"content":[]}}]}`)
	f.Add(`{"session":{"version":4,"id":"","createdAt":1e3},"capturedThroughSeq":null,"events":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := session.ParseSurface(jstext.Decode([]byte(text)))
		if err != nil {
			return
		}
		printed := string(s.AppendJSON(nil))
		back, err := session.ParseSurface(printed)
		if err != nil {
			t.Fatalf("cannot read back %s: %v", printed, err)
		}
		if got := string(back.AppendJSON(nil)); got != printed {
			t.Fatalf("printed %s, then %s", printed, got)
		}
	})
}

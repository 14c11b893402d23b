package inbox_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/inbox"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// draftOf reads a draft from an object; what it does not have is Absent.
func draftOf(t *testing.T, s string) inbox.Draft {
	t.Helper()
	v, err := jstext.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	d := inbox.Draft{To: "t", Content: v.Get("content"), Source: v.Get("source"), Contexts: v.Get("contexts"), Meta: v.Get("meta")}
	kind, _ := v.Get("kind").Text()
	d.Kind = inbox.Kind(kind)
	d.ID, _ = v.Get("id").Text()
	return d
}

func TestFreezeRefuses(t *testing.T) {
	tests := []struct{ draft, subject string }{
		{`{}`, "content"},
		{`{"content":null}`, "content"},
		{`{"content":"hello"}`, "content"},
		{`{"content":{"type":"text"}}`, "content"},
		{`{"content":[{"type":"text","text":"a"},"b"]}`, "content[1]"},
		{`{"content":[{"text":"a"}]}`, "content[0]"},
		{`{"content":[{"type":1}]}`, "content[0]"},
		{`{"content":[{"type":"text"}]}`, "content[0]"},
		{`{"content":[{"type":"text","text":null}]}`, "content[0]"},
		{`{"content":[{"type":"text","text":"a","type":7}]}`, "content[0]"},
		{`{"content":[{"type":"x","n":[1,-0]}]}`, "content[0].n[1]"},
		{`{"content":[{"type":"x","a b":1e999}]}`, `content[0]["a b"]`},
		{`{"content":[{"type":"x","n":9007199254740993}]}`, "content[0].n"},
		{`{"content":[],"source":"user"}`, "source"},
		{`{"content":[],"source":{}}`, "source"},
		{`{"content":[],"source":null}`, "source"},
		{`{"content":[],"source":{"kind":"user","n":-0.0}}`, "source.n"},
		{`{"content":[],"contexts":{}}`, "contexts"},
		{`{"content":[],"contexts":null}`, "contexts"},
		{`{"content":[],"contexts":[[]]}`, "contexts[0]"},
		{`{"content":[],"contexts":[{"content":[],"source":{"kind":"x"}},{"source":{"kind":"x"}}]}`, "contexts[1].content"},
		{`{"content":[],"contexts":[{"content":[{}],"source":{"kind":"x"}}]}`, "contexts[0].content[0]"},
		{`{"content":[],"contexts":[{"content":[]}]}`, "contexts[0].source"},
		{`{"content":[],"contexts":[{"content":[],"source":{"kind":"x"},"placement":null}]}`, "contexts[0].placement"},
		{`{"content":[],"contexts":[{"content":[],"source":{"kind":"x"},"meta":{"t":1e-400}}]}`, "contexts[0].meta.t"},
		{`{"content":[],"meta":{}}`, "meta"},
		{`{"kind":"inject","content":[],"contexts":{}}`, "contexts"},
		{`{"kind":"inject","content":[],"contexts":[{"content":[],"source":{"kind":"x"}}]}`, "contexts"},
		{`{"kind":"inject","content":[],"meta":[-0]}`, "meta[0]"},
		{`{"kind":"Send","content":[]}`, "kind"},
		{`{"kind":"queue","content":[]}`, "kind"},
		{`{"content":` + strings.Repeat("[", jstext.MaxDepth-63) + strings.Repeat("]", jstext.MaxDepth-63) + `}`, "content"},
	}
	box, _ := open(t)
	send(t, box, inbox.Draft{ID: "before"})
	for _, tt := range tests {
		_, err := box.Enqueue(ctx, draftOf(t, tt.draft))
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Usage || f.Rule != inbox.RuleMalformed || f.Subject != tt.subject {
			t.Errorf("%.80s: %v; want the subject %s", tt.draft, err, tt.subject)
		}
	}
	wantList(t, box, "before:waiting")
}

func TestFreezeKeeps(t *testing.T) {
	deep := strings.Repeat("[", jstext.MaxDepth-70) + strings.Repeat("]", jstext.MaxDepth-70)
	tests := []struct{ name, draft, want string }{
		{"an empty message", `{"content":[]}`, `"content":[],"source":{"kind":"user"},"contexts":[]}`},
		{
			"blocks of any type", `{"content":[{"type":"image","data":"aGk="},{"type":"","text":5}]}`,
			`"content":[{"type":"image","data":"aGk="},{"type":"","text":5}],"source":{"kind":"user"},"contexts":[]}`,
		},
		{
			"lone surrogates and tags", `{"content":[{"type":"text","text":"\ud800</x>\u2028\u0000"}],"source":{"kind":"\udfff"}}`,
			`"content":[{"type":"text","text":"\ud800</x>` + "\u2028" + `\u0000"}],"source":{"kind":"\udfff"},"contexts":[]}`,
		},
		{
			"contexts, their order and what is strange in them",
			`{"content":[],"contexts":[{"meta":null,"placement":"odd","source":{"kind":"a"},"content":[],"extra":[1]},{"content":[{"type":"text","text":"c"}],"source":{"kind":"b"}}]}`,
			`"content":[],"source":{"kind":"user"},"contexts":[{"meta":null,"placement":"odd","source":{"kind":"a"},"content":[],"extra":[1]},{"content":[{"type":"text","text":"c"}],"source":{"kind":"b"}}]}`,
		},
		{
			"numbers in JavaScript's spelling", `{"content":[{"type":"n","v":[1.0,1e3,0.10,1e21,5e-324,123456789012345680000]}]}`,
			`"content":[{"type":"n","v":[1,1000,0.1,1e+21,5e-324,123456789012345680000]}],"source":{"kind":"user"},"contexts":[]}`,
		},
		{"the last of equal keys", `{"content":[{"type":"a","type":"b"}]}`, `"content":[{"type":"b"}],"source":{"kind":"user"},"contexts":[]}`},
		{"an injection, with no contexts said twice", `{"kind":"inject","content":[],"contexts":[ ]}`, `"content":[],"source":{"kind":"user"}}`},
		{"deep nesting", `{"content":[{"type":"d","v":` + deep + `}]}`, `"content":[{"type":"d","v":` + deep + `}],"source":{"kind":"user"},"contexts":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			box, _ := open(t)
			d := draftOf(t, tt.draft)
			got := string(send(t, box, d).AppendJSON(nil))
			if !strings.HasSuffix(got, `"seq":0,`+tt.want) {
				t.Errorf("got %s\nwant …%s", got, tt.want)
			}
			if read := string(list(t, box)[0].AppendJSON(nil)); read != got {
				t.Errorf("read back: %s\nwant %s", read, got)
			}
		})
	}
}

// What is not UTF-8 is refused wherever it stands: a replacement would be another
// message.
func TestFreezeBytes(t *testing.T) {
	box, _ := open(t)
	bad := jstext.MustParse("[{\"type\":\"x\",\"v\":\"\xff\"}]")
	lone := jstext.MustParse("[{\"type\":\"x\",\"v\":\"\xed\xa0\x80\"}]")
	for subject, d := range map[string]inbox.Draft{
		"id":      {ID: "\xff", Content: text("x")},
		"content": {Content: bad},
		"source":  {Content: lone, Source: lone},
		"meta":    {Kind: inbox.Inject, Content: text("x"), Meta: bad},
	} {
		d.To = "t"
		if _, err := box.Enqueue(ctx, d); rule(err) != inbox.RuleMalformed {
			t.Errorf("%s: %v", subject, err)
		}
	}
	if r := send(t, box, inbox.Draft{ID: "\xed\xa0\x80"}); list(t, box)[0].ID != r.ID {
		t.Error("a lone surrogate in an id did not survive")
	}
}

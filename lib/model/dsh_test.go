package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/model"
	"github.com/dsh-toolkit/dsh/lib/session"
)

// dshServer answers session.prompt as a running dsh does, and may log what it took.
type dshServer struct {
	*httptest.Server
	t    *testing.T
	log  string // where it logs; empty: nowhere
	zstd bool
	list string // what it says of the session; empty: nothing

	mu     sync.Mutex
	bodies []string
}

const acceptedAnswer = `{"type":"server-response","rpcId":RPC,"result":{"ok":true,"value":{"accepted":true}}}`

// serveDsh runs a server whose answers are functions of the request's rpcId; the
// last one goes on for ever.
func serveDsh(t *testing.T, d *dshServer, answers ...func(w http.ResponseWriter, rpcID string)) *dshServer {
	t.Helper()
	d.t = t
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			return
		}
		b, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/api/session.list" {
			fmt.Fprintf(w, `{"type":"server-response","rpcId":"list","result":{"ok":true,"value":{"items":[{"sessionId":"other","running":true}%s]}}}`, d.list)
			return
		}
		if r.Method != http.MethodPost || r.URL.Path != "/api/session.prompt" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Origin") != "" {
			t.Errorf("%s %s %v", r.Method, r.URL.Path, r.Header)
		}
		d.mu.Lock()
		n := len(d.bodies)
		d.bodies = append(d.bodies, string(b))
		d.mu.Unlock()
		rpcID := jstext.MustParse(string(b)).Get("rpcId").Raw()
		answers[min(n, len(answers)-1)](w, rpcID)
	}))
	t.Cleanup(d.CloseClientConnections)
	t.Cleanup(d.Close)
	return d
}

func (d *dshServer) requests() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.bodies)
}

func (d *dshServer) write(line string) {
	d.t.Helper()
	b := []byte(line)
	if d.zstd {
		enc, err := zstd.NewWriter(nil)
		if err != nil {
			d.t.Fatal(err)
		}
		b = enc.EncodeAll(b, nil)
	}
	f, err := os.OpenFile(d.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dshServer) look(ctx context.Context, _, rpcID string) model.Sight {
	if d.log == "" {
		return model.Sight{}
	}
	return model.LookInLog(ctx, d.log, rpcID)
}

func answer(s string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, rpcID string) {
		fmt.Fprint(w, strings.ReplaceAll(s, "RPC", rpcID))
	}
}

const header = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}` + "\n"

var logged = map[string]string{
	"the message":      `{"type":"user/message","seq":0,"time":1,"data":{"content":[],"source":{"kind":"user","rpcId":RPC},"role":"user","id":"x"},"surfaceOp":"append"}` + "\n",
	"all of it":        queued + taken + `{"type":"user/message","seq":9,"data":{"content":[],"source":{"kind":"user","rpcId":RPC}}}` + "\n",
	"a nested message": `{"type":"user/message","seq":0,"time":1,"data":{"message":{"content":[],"source":{"kind":"user","rpcId":RPC}}},"surfaceOp":"append"}` + "\n",
}

// What dsh 0.1.0-rc.8 was seen to log of a message.
const (
	queued = `{"type":"agent/inbox/spliced","seq":0,"data":{"target":"next-turn","start":0,"inserted":[{"content":[],"source":{"kind":"user","rpcId":RPC}}]}}` + "\n"
	taken  = `{"type":"turn/start","seq":1,"data":{"turn":1}}` + "\n" + `{"type":"agent/inbox/spliced","seq":2,"data":{"target":"next-turn","start":0,"removedCount":1,"inserted":[]}}` + "\n"
	other  = `{"type":"agent/inbox/spliced","seq":0,"data":{"target":"next-turn","start":0,"inserted":[{"content":[],"source":{"kind":"user","rpcId":"other"}}]}}` + "\n"
	failed = `{"type":"turn/end","seq":3,"data":{"turn":1,"reason":{"kind":"error","error":{"message":"no such session"}}}}` + "\n"
	drop   = `{"type":"agent/inbox/spliced","seq":2,"data":{"target":"next-turn","start":0,"removedCount":1,"inserted":[],"outcome":"canceled"}}` + "\n"
	edit   = `{"type":"agent/inbox/spliced","seq":2,"data":{"target":"next-turn","start":0,"removedCount":1,"inserted":[{"content":[],"source":{"kind":"user","rpcId":RPC}}],"outcome":"canceled"}}` + "\n"
	done   = `{"type":"turn/end","seq":3,"data":{"turn":1,"reason":{"kind":"completed"}}}` + "\n"
)

// A fork of format 2 says where the copy of its parent's records ends.
const (
	seeded    = `{"type":"session","version":2,"id":"s","createdAt":1,"isSeeded":true,"delegationDepth":0}` + "\n"
	inherited = `{"type":"session/end-seed","seq":3,"time":1,"data":{"inherited":true}}` + "\n"
)

func delivery(id string) model.Delivery {
	return model.Delivery{SessionID: "s \xed\xa0\x80", RPCID: id, Mode: model.QueueMode, Content: session.TextContent("a\u2028<\xed\xa0\x80>")}
}

func TestDeliver(t *testing.T) {
	for what, line := range logged {
		for _, z := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s zstd=%v", what, z), func(t *testing.T) {
				d := &dshServer{log: filepath.Join(t.TempDir(), "session.jsonl"), zstd: z}
				serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
					answer(acceptedAnswer)(w, rpcID)
					time.AfterFunc(100*time.Millisecond, func() { d.write(strings.ReplaceAll(line, "RPC", rpcID)) })
				})
				d.write(header)
				for range 2 { // the second time as after a crash: it is there already
					fate, err := model.Dsh{BaseURL: d.URL + "/", Look: d.look}.Deliver(t.Context(), delivery("id-1"))
					if err != nil || fate != model.Logged {
						t.Fatalf("fate %d, %v", fate, err)
					}
				}
				want := `{"type":"client-request","rpcId":"id-1","method":"session.prompt","payload":{"sessionId":"s \ud800","mode":"queue","content":[{"type":"text","text":"a` + "\u2028" + `<\ud800>"}]}}`
				if got := strings.Join(d.bodies, "\n"); got != want {
					t.Errorf("sent\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// An id that only stands in a text, or in another's, is not seen.
func TestLookInLog(t *testing.T) {
	dir := t.TempDir()
	message := strings.ReplaceAll(logged["the message"], "RPC", `"id-1"`)
	for _, c := range []struct {
		name, text string
		want       model.State
		attempts   int
		words      string
	}{
		{"empty", "", model.Unseen, 0, ""},
		{"in a text", header + `{"type":"user/message","seq":0,"data":{"content":[{"type":"text","text":"id-1"}],"source":{"kind":"user"}}}` + "\n", model.Unseen, 0, ""},
		{"longer", header + strings.ReplaceAll(logged["the message"], "RPC", `"id-12"`), model.Unseen, 0, ""},
		{"torn", header + strings.TrimSuffix(message, "\n"), model.Unseen, 0, ""},
		{"behind damage", header + "{\n" + message, model.Seen, 0, ""},
		{"damaged", header + `{"id-1","rpcId":"id-1"` + "\n", model.Unseen, 0, ""},
		{"queued", header + queued, model.Queued, 1, ""},
		{"queued, and a turn ends", header + queued + done, model.Queued, 1, ""},
		{"queued behind another, which is taken", header + queued + other + taken, model.Queued, 1, ""},
		{"queued before another, which waits", header + other + queued + taken + failed, model.Failed, 1, "no such session"},
		{"taken", header + queued + taken, model.Taken, 1, ""},
		{"written down", header + queued + taken + message, model.Seen, 1, ""},
		{"failed", header + queued + taken + failed, model.Failed, 1, "no such session"},
		{"ended without it", header + queued + taken + done, model.Failed, 1, "completed"},
		{"failed, and queued again", header + queued + taken + failed + queued, model.Queued, 2, ""},
		{"failed twice", header + queued + taken + failed + queued + taken + failed, model.Failed, 2, "no such session"},
		{"moved to another queue", header + queued + taken + strings.Replace(queued, "next-turn", "next-step", 1) + done, model.Queued, 2, ""},
		{"dropped", header + queued + drop, model.Dropped, 1, ""},
		{"edited in the queue", header + queued + edit, model.Queued, 2, ""},
		{"dropped, and queued to steer", header + queued + drop + strings.Replace(queued, "next-turn", "next-step", 1), model.Queued, 2, ""},
		{"another dropped", header + other + strings.Replace(queued, `"start":0`, `"start":1`, 1) + drop + taken, model.Taken, 1, ""},
		{"another queue is taken", header + queued + strings.Replace(taken, "next-turn", "next-step", 1), model.Queued, 1, ""},
		{"of the parent", strings.Replace(header, `"createdAt"`, `"seedLength":3,"createdAt"`, 1) + queued + taken + message, model.Unseen, 0, ""},
		{"of the fork", strings.Replace(header, `"createdAt"`, `"seedLength":3,"createdAt"`, 1) + queued + taken + strings.Replace(message, `"seq":0`, `"seq":3`, 1), model.Seen, 0, ""},
		{"of the parent, format 2", seeded + queued + taken + message + inherited, model.Unseen, 0, ""},
		{"of the fork, format 2", seeded + queued + inherited + message, model.Seen, 0, ""},
		{"no message", header + strings.Replace(message, "user/message", "team/message/queued", 1), model.Unseen, 0, ""},
		{"the type last", header + `{"data":{"content":[],"source":{"kind":"user","rpcId":"id-1"}},"type":"user/message"}` + "\n", model.Seen, 0, ""},
		{"the type escaped", header + strings.Replace(message, "user/message", `user\/message`, 1), model.Seen, 0, ""},
		{"counts out of range", header + strings.Replace(queued, `"start":0`, `"start":99,"removedCount":-5`, 1) + strings.Replace(taken, `"removedCount":1`, `"removedCount":99999`, 1), model.Taken, 1, ""},
	} {
		path := filepath.Join(dir, c.name)
		text := strings.ReplaceAll(c.text, "RPC", `"id-1"`)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := model.Sight{State: c.want, Attempts: c.attempts, Words: c.words, Size: int64(len(text))}
		if got := model.LookInLog(t.Context(), path, "id-1"); got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
	if got := model.LookInLog(t.Context(), filepath.Join(dir, "none"), "id-1"); got != (model.Sight{State: model.NoLog}) {
		t.Errorf("a log that is not there: %+v", got)
	}
	if got := model.LookInLog(t.Context(), dir, "id-1"); got.State == model.Seen {
		t.Errorf("a directory: %+v", got)
	}
}

// What becomes of a message that dsh has accepted.
func TestDeliverFollows(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		fate                model.Fate
		fault               string
		requests            int
	}{
		{name: "failed", after: queued + taken + failed, fault: `record "id-1": dsh ended the turn without the message: "no such session"`, requests: 1},
		{name: "failed again", before: queued + taken + failed, after: queued + taken + failed, fault: "no such session", requests: 1},
		{name: "failed once", before: queued + taken + failed, after: queued + taken + logged["the message"], fate: model.Logged, requests: 1},
		{name: "the old failure alone", before: queued + taken + failed, fate: model.Accepted, requests: 1},
		{name: "in the queue already", before: queued, fate: model.Waiting},
		{name: "it waits", after: queued, fate: model.Waiting, requests: 1},
		{name: "taken by a dsh that was killed", before: queued + taken, after: queued + taken + logged["the message"], fate: model.Logged, requests: 1},
		{name: "taken, and nothing more", after: queued + taken, fate: model.Accepted, requests: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &dshServer{log: filepath.Join(t.TempDir(), "log")}
			serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
				answer(acceptedAnswer)(w, rpcID)
				time.AfterFunc(50*time.Millisecond, func() { d.write(strings.ReplaceAll(c.after, "RPC", rpcID)) })
			})
			d.write(header + strings.ReplaceAll(c.before, "RPC", `"id-1"`))
			fate, err := model.Dsh{BaseURL: d.URL, Look: d.look, Patience: 500 * time.Millisecond, Quiet: 500 * time.Millisecond}.Deliver(t.Context(), delivery("id-1"))
			if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
				t.Errorf("error %v, want %q", err, c.fault)
			}
			if fate != c.fate || d.requests() != c.requests {
				t.Errorf("fate %d after %d requests, want %d after %d", fate, d.requests(), c.fate, c.requests)
			}
		})
	}
}

// What dsh says of the session decides about a message that stays as it is.
func TestDeliverAsks(t *testing.T) {
	const stopped, runs = `,{"sessionId":"s \ud800","running":false}`, `,{"sessionId":"s \ud800","running":true}`
	for _, c := range []struct {
		name, before, after, later, list string
		fate                             model.Fate
		fault                            string
		requests                         int
	}{
		{name: "no turn takes it", after: queued, list: stopped, fate: model.Waiting, requests: 1},
		{name: "no turn takes what was there", before: queued, list: stopped, fate: model.Waiting},
		{name: "a turn runs", after: queued, later: taken + logged["the message"], list: runs, fate: model.Logged, requests: 1},
		{name: "nothing is said", after: queued, later: taken + logged["the message"], fate: model.Logged, requests: 1},
		{name: "its turn is no more", after: queued + taken, list: stopped, fault: "no turn runs that has it", requests: 1},
		{name: "the turn of an earlier attempt is no more", before: queued + taken, after: queued + taken + logged["the message"], list: stopped, fate: model.Logged, requests: 1},
		{name: "dropped", after: queued + drop, list: runs, fault: `record "id-1": the message was dropped from dsh's queue`, requests: 1},
		{name: "dropped before", before: queued + drop, after: queued + taken + logged["the message"], list: runs, fate: model.Logged, requests: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &dshServer{log: filepath.Join(t.TempDir(), "log"), list: c.list}
			serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
				answer(acceptedAnswer)(w, rpcID)
				d.write(strings.ReplaceAll(c.after, "RPC", rpcID))
				if c.later != "" {
					time.AfterFunc(2*time.Second, func() { d.write(strings.ReplaceAll(c.later, "RPC", rpcID)) })
				}
			})
			d.write(header + strings.ReplaceAll(c.before, "RPC", `"id-1"`))
			dsh := model.Dsh{BaseURL: d.URL, Look: d.look, Settle: 200 * time.Millisecond}
			fate, err := dsh.Deliver(t.Context(), delivery("id-1"))
			if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
				t.Errorf("error %v, want %q", err, c.fault)
			}
			if fate != c.fate || d.requests() != c.requests {
				t.Errorf("fate %d after %d requests, want %d after %d", fate, d.requests(), c.fate, c.requests)
			}
		})
	}
}

// While a message waits in dsh's queue, others get their turn.
func TestDeliverMeanwhile(t *testing.T) {
	d := &dshServer{log: filepath.Join(t.TempDir(), "log")}
	serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
		answer(acceptedAnswer)(w, rpcID)
		d.write(strings.ReplaceAll(queued, "RPC", rpcID))
	})
	d.write(header)
	enough := errors.New("enough")
	calls := 0
	dsh := model.Dsh{BaseURL: d.URL, Look: d.look, Meanwhile: func(context.Context) error {
		if calls++; calls < 3 {
			return nil
		}
		return enough
	}}
	if _, err := dsh.Deliver(t.Context(), delivery("id-1")); !errors.Is(err, enough) || calls != 3 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

// A dsh that is told to end drops its queue first, as dsh 0.1.0-rc.8 does at SIGTERM.
func TestDeliverDshEnds(t *testing.T) {
	d := &dshServer{log: filepath.Join(t.TempDir(), "log")}
	serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
		answer(acceptedAnswer)(w, rpcID)
		d.write(strings.ReplaceAll(queued, "RPC", rpcID))
		time.AfterFunc(900*time.Millisecond, func() {
			d.write(drop)
			d.Close()
		})
	})
	d.write(header)
	_, err := model.Dsh{BaseURL: d.URL, Look: d.look}.Deliver(t.Context(), delivery("id-1"))
	if err == nil || !strings.Contains(err.Error(), `record "id-1": the message was dropped from dsh's queue`) {
		t.Errorf("error %v", err)
	}
}

// What dsh accepted and had not written down when it went away is no delivery.
func TestDeliverDshGoneBeforeTheLog(t *testing.T) {
	for what, log := range map[string]string{"no log": "", "a log": header} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := &dshServer{log: filepath.Join(t.TempDir(), "log")}
			serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
				answer(acceptedAnswer)(w, rpcID)
				go d.Close()
			})
			if log != "" {
				d.write(log)
			}
			_, err := model.Dsh{BaseURL: d.URL, Look: d.look}.Deliver(t.Context(), delivery("id-1"))
			if err == nil || !strings.Contains(err.Error(), `went away before record "id-1" was seen in the session's log`) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestIsLocal(t *testing.T) {
	for url, want := range map[string]bool{
		"http://127.0.0.1:3080": true, "http://localhost/x": true, "http://[::1]:1": true,
		"http://192.0.2.1": false, "https://dsh.example:3080": false, "http://[": false,
	} {
		if got := model.IsLocal(url); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}

// A dsh that goes away while the message is in its queue ends the wait.
func TestDeliverDshGone(t *testing.T) {
	d := &dshServer{log: filepath.Join(t.TempDir(), "log")}
	serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
		d.write(strings.ReplaceAll(queued, "RPC", rpcID))
		answer(acceptedAnswer)(w, rpcID)
		go d.Close()
	})
	d.write(header)
	_, err := model.Dsh{BaseURL: d.URL, Look: d.look}.Deliver(t.Context(), delivery("id-1"))
	if err == nil || !strings.Contains(err.Error(), `went away while record "id-1" waits in its queue, not delivered`) {
		t.Errorf("error %v", err)
	}
}

// The real logs of dsh: what was sent by rpcId is found.
func TestLookInRealLogs(t *testing.T) {
	for path, id := range map[string]string{
		"v0-late/zstd/--home-dev-web-client--/session-c2d2cf71-b2a3-489e-9539-af43d9b66230/session.jsonl.zstd": "50185fb1-fcc7-416e-9c7e-f29ef73129c1",
		"v0-late/raw/--home-dev-project-a--/session-cb1e46ae-4291-46a2-bee9-c428ff016a20/session.jsonl":        "1be6bffe-2ee7-4122-b37e-7e3b1c49f8a0",
	} {
		path = "../../testdata/fixtures/dsh/" + path
		if got := model.LookInLog(t.Context(), path, id); got.State != model.Seen {
			t.Errorf("%s: %+v", path, got)
		}
		if got := model.LookInLog(t.Context(), path, id+"x"); got.State != model.Unseen {
			t.Errorf("%s: another id is %+v", path, got)
		}
	}
}

func TestDeliverUnlogged(t *testing.T) {
	for name, log := range map[string]string{"no log": "", "a log that does not show it": "x"} {
		t.Run(name, func(t *testing.T) {
			d := serveDsh(t, &dshServer{}, answer(acceptedAnswer))
			if log != "" {
				d.log = filepath.Join(t.TempDir(), log)
				d.write(header)
			}
			fate, err := model.Dsh{BaseURL: d.URL, Look: d.look, Patience: 100 * time.Millisecond}.Deliver(t.Context(), delivery("id"))
			if err != nil || fate != model.Accepted || d.requests() != 1 {
				t.Errorf("fate %d, %v after %d requests", fate, err, d.requests())
			}
		})
	}
}

func TestDeliverRefused(t *testing.T) {
	refuse := func(code string) func(http.ResponseWriter, string) {
		return answer(`{"type":"server-response","rpcId":RPC,"result":{"ok":false,"error":{"code":"` + code + `","message":"because\u001b[31m"}}}`)
	}
	status := func(code int) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, _ string) { w.WriteHeader(code) }
	}
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter, string)
		want   string
	}{
		{"session-not-found", refuse("session-not-found"), `refused the message: "session-not-found": "because\x1b[31m"`},
		{"model-unavailable", refuse("model-unavailable"), "model-unavailable"},
		{"agent-busy", refuse("agent-busy"), "agent-busy"},
		{"not accepted", answer(`{"type":"server-response","rpcId":RPC,"result":{"ok":true,"value":{"accepted":false}}}`), "did not accept"},
		{"403", status(403), "answered 403 Forbidden"},
		{"404", status(404), "answered 404 Not Found"},
		{"redirect", func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "http://example.invalid/")
			w.WriteHeader(307)
		}, "answered 307"},
		{"500", status(500), "answered 500"},
		{"another's answer", answer(`{"type":"server-response","rpcId":"other","result":{"ok":true,"value":{"accepted":true}}}`), "no answer to the request"},
		{"no JSON", answer("<html>"), `no answer to the request: "<html>"`},
		{"hung up", func(w http.ResponseWriter, _ string) { hangsUpAtOnce(w, nil) }, "EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := serveDsh(t, &dshServer{log: filepath.Join(t.TempDir(), "log")}, c.answer)
			d.write(header)
			_, err := model.Dsh{BaseURL: d.URL, Look: d.look, Patience: time.Millisecond}.Deliver(t.Context(), delivery("id"))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), d.URL) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if d.requests() != 1 {
				t.Errorf("%d requests", d.requests())
			}
		})
	}
}

// An answer that was lost is no reason to send again where the log shows the
// message.
func TestDeliverAnswerLost(t *testing.T) {
	d := &dshServer{log: filepath.Join(t.TempDir(), "log")}
	serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
		d.write(strings.ReplaceAll(logged["the message"], "RPC", rpcID))
		hangsUpAtOnce(w, nil)
	})
	d.write(header)
	fate, err := model.Dsh{BaseURL: d.URL, Look: d.look}.Deliver(t.Context(), delivery("id"))
	if err != nil || fate != model.Logged {
		t.Errorf("fate %d, %v", fate, err)
	}
}

func TestDeliverNobodyThere(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	looks := 0
	look := func(context.Context, string, string) model.Sight {
		looks++
		return model.Sight{State: model.Unseen}
	}
	_, err := model.Dsh{BaseURL: s.URL, Look: look}.Deliver(t.Context(), delivery("id"))
	var f *fault.Error
	if !errors.As(err, &f) || !strings.Contains(err.Error(), "connection refused") || f.Hint == "" {
		t.Errorf("error %v", err)
	}
	if looks != 1 {
		t.Errorf("%d looks for what was never sent", looks)
	}
}

func TestDeliverCancelled(t *testing.T) {
	for _, waits := range []string{"for the answer", "for the log"} {
		t.Run(waits, func(t *testing.T) {
			d := &dshServer{log: filepath.Join(t.TempDir(), "log")}
			release := make(chan struct{})
			serveDsh(t, d, func(w http.ResponseWriter, rpcID string) {
				if waits == "for the answer" {
					<-release
				}
				answer(acceptedAnswer)(w, rpcID)
			})
			defer close(release)
			d.write(header)
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
			if _, err := (model.Dsh{BaseURL: d.URL, Look: d.look}).Deliver(ctx, delivery("id")); !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
		})
	}
}

package setup_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/host/known"
	"github.com/dsh-toolkit/dsh/lib/host/setup"
)

func envOf(home string) setup.Env {
	return setup.Env{Getenv: func(string) string { return "" }, Home: home, Program: "/usr/bin/dsh-ref"}
}

// Every agent that has a hook can be set up, in the same order.
func TestAll(t *testing.T) {
	var names []string
	for _, s := range setup.All {
		names = append(names, s.Agent)
	}
	if got, want := strings.Join(names, " "), strings.Join(known.Names(), " "); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// tree is everything below a folder.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		if info.Mode().IsRegular() {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(&b, "%s %v %q\n", path, info.Mode(), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func change(t *testing.T, c *setup.Change, err error) *setup.Change {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Make(); err != nil {
		t.Fatal(err)
	}
	return c
}

// FuzzInstallRemove: whatever a person's file has, it is back after a remove, and so
// is all around it. A file that cannot be edited is not touched.
func FuzzInstallRemove(f *testing.F) {
	for _, s := range []string{"", " \n", "{}", "{\r\n // c\r\n}", `{"hooks":{}}`, `{"hooks":{"UserPromptSubmit":[],"BeforeAgent":[{}],}}`, "\xef\xbb\xbf{\"a\":1}\n", `{"hooks":[]}`, "x"} {
		f.Add(uint8(0), []byte(s))
		f.Add(uint8(3), []byte(s))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		s := setup.All[int(which)%len(setup.All)]
		env := envOf(t.TempDir())
		path, err := s.Path(env, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o640); err != nil {
			t.Fatal(err)
		}
		if st, err := s.Status(env, ""); err == nil && st.Installed {
			return
		}
		before := tree(t, env.Home)
		c, err := s.Install(env, "", setup.Options{})
		if err != nil {
			if got := tree(t, env.Home); got != before {
				t.Fatalf("%v, and yet %s became %s", err, before, got)
			}
			return
		}
		change(t, c, nil)
		if st, err := s.Status(env, ""); err != nil || !st.Installed || !st.Current {
			t.Fatalf("%+v, %v", st, err)
		}
		c, err = s.Install(env, "", setup.Options{})
		if err != nil || !c.Nothing() || c.Diff() != nil {
			t.Fatalf("a second install: %s, %v", c.Diff(), err)
		}
		c, err = s.Remove(env, "")
		change(t, c, err)
		if got := tree(t, env.Home); got != before {
			t.Fatalf("%s became %s", before, got)
		}
	})
}

// Codex runs what a person has trusted. The hash is what the real program, version
// 0.171.0, gives for this entry.
func TestCodexTrust(t *testing.T) {
	env := envOf(t.TempDir())
	s, _ := setup.Named("codex")
	c, err := s.Install(env, "", setup.Options{})
	change(t, c, err)
	config := func(table, hash, more string) {
		text := fmt.Sprintf("model = \"x\"\n[hooks.state.%q]\ntrusted_hash = %q\n%s\n[[hooks.Stop]]\n", table, hash, more)
		if err := os.WriteFile(filepath.Join(env.Home, ".codex", "config.toml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Join(env.Home, ".codex", "hooks.json") + ":user_prompt_submit:0:0"
	const hash = "sha256:74afc9807233f1a852d69b6ee47d163bd3d502e2b454c087254f999d00805699"
	for _, c := range []struct{ table, hash, more, want string }{
		{key, hash, "", ""},
		{key, hash, "enabled = true", ""},
		{key, hash, "enabled = false", "switch it on"},
		{key, hash[:70], "", "trust it"},
		{key + "1", hash, "", "trust it"},
		{key, hash, "[", "trust it"},
	} {
		config(c.table, c.hash, c.more)
		st, err := s.Status(env, "")
		if err != nil || (c.want == "") != (st.Trust == "") || !strings.Contains(st.Trust, c.want) {
			t.Errorf("%+v: %q, %v", c, st.Trust, err)
		}
	}
}

// The version is told by the package or by the name of the file.
func TestVersion(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put("lib/pkg/package.json", `{"name":"@a/pkg","version":"1.2.3"}`)
	put("lib/pkg/dist/package.json", `{"type":"module"}`)
	put("lib/pkg/dist/cli.js", "")
	put("share/versions/2.1.197", "")
	put("bin/qwen", "")
	for name, to := range map[string]string{"pi": "../lib/pkg/dist/cli.js", "claude": "../share/versions/2.1.197"} {
		if err := os.Symlink(to, filepath.Join(dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	env := envOf(dir)
	env.Getenv = func(name string) string {
		if name == "PATH" {
			return "relative:" + filepath.Join(dir, "bin")
		}
		return ""
	}
	for agent, want := range map[string][2]string{"pi": {"bin/pi", "1.2.3"}, "claude": {"bin/claude", "2.1.197"}, "qwen": {"bin/qwen", ""}, "codex": {}} {
		s, _ := setup.Named(agent)
		st, err := s.Status(env, "")
		program := strings.TrimPrefix(st.Program, dir+"/")
		if err != nil || program != want[0] || st.Version != want[1] {
			t.Errorf("%s: %q, %q, %v; want %q", agent, program, st.Version, err, want)
		}
	}
}

// A plugin that was written before plugins had a sum is known all the same.
func TestOldPlugins(t *testing.T) {
	for _, agent := range []string{"opencode", "pi"} {
		env := envOf(t.TempDir())
		s, _ := setup.Named(agent)
		c, err := s.Install(env, "", setup.Options{})
		change(t, c, err)
		data, err := os.ReadFile(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		text, _, ok := strings.Cut(string(data), "// The sum of ")
		if !ok {
			t.Fatalf("%s: no sum in %q", agent, data)
		}
		old, err := os.ReadFile(filepath.Join("testdata", filepath.Base(c.Path)))
		if err != nil {
			t.Fatal(err)
		}
		for _, c2 := range []struct {
			text   string
			edited bool
		}{{string(old), false}, {string(old) + "\n", true}, {text + "// mine\n", true}} {
			if err := os.WriteFile(c.Path, []byte(c2.text), 0o644); err != nil {
				t.Fatal(err)
			}
			st, err := s.Status(env, "")
			if err != nil || !st.Installed || st.Edited != c2.edited {
				t.Errorf("%s: %+v, %v", agent, st, err)
			}
			_, err = s.Remove(env, "")
			if (err != nil) != c2.edited {
				t.Errorf("%s: remove: %v", agent, err)
			}
		}
	}
}

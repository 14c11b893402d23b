package diskname_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/jstext"
	"github.com/dsh-toolkit/dsh/lib/store/dshlog/diskname"
)

const testdata = "../../../../testdata"

func pathCases(t testing.TB) jstext.Value {
	data, err := os.ReadFile(testdata + "/vectors/path.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jstext.Parse(jstext.Decode(data))
	if err != nil {
		t.Fatal(err)
	}
	return v.Get("cases")
}

// javascript decodes a field that holds the JSON text of one JavaScript string;
// nil stands for null.
func javascript(t testing.TB, field jstext.Value) *string {
	lit, ok := field.Text()
	if !ok {
		return nil
	}
	s, err := jstext.Unquote(lit)
	if err != nil {
		t.Fatalf("%s: %v", lit, err)
	}
	return &s
}

func TestVectors(t *testing.T) {
	n := 0
	for c := range pathCases(t).Elements() {
		n++
		name, _ := c.Get("case").Text()
		t.Run(name, func(t *testing.T) {
			id, cwd := javascript(t, c.Get("idJson")), javascript(t, c.Get("cwdJson"))
			got, err := diskname.EncodeID(*id)
			if c.Get("error").True() {
				var f *fault.Error
				if !errors.As(err, &f) || f.Kind != fault.Reference || f.Rule != "empty-id" {
					t.Fatalf("EncodeID(%q) = %q, %v, want the rule empty-id", *id, got, err)
				}
				return
			}
			if want, _ := c.Get("segment").Text(); err != nil || got != want {
				t.Errorf("EncodeID(%q) = %q, %v, want %q", *id, got, err, want)
			}
			if back, ok := diskname.DecodeID(got); !ok || back != *id {
				t.Errorf("DecodeID(%q) = %q, %v, want %q", got, back, ok, *id)
			}
			bucket := diskname.Bucket(cwd)
			if want, _ := c.Get("dir").Text(); bucket != want {
				t.Errorf("Bucket(%q) = %q, want %q", *cwd, bucket, want)
			}
			if want, _ := c.Get("pathPlain").Text(); bucket+"/"+got+diskname.RawExt != want {
				t.Errorf("raw path %q, want %q", bucket+"/"+got+diskname.RawExt, want)
			}
			if want, _ := c.Get("pathZstd").Text(); bucket+"/"+got+diskname.ZstdExt != want {
				t.Errorf("zstd path %q, want %q", bucket+"/"+got+diskname.ZstdExt, want)
			}
		})
	}
	if n == 0 {
		t.Fatal("no cases")
	}
}

func TestDecodeIDRefuses(t *testing.T) {
	for _, segment := range []string{
		"", ".", "..", "~", "~00", "~002", "~002e", "~002E-x/", "a b", "é", "a~0041", "~002Ea", "~005F", "x~D83~DE00", "a\x00",
	} {
		if id, ok := diskname.DecodeID(segment); ok {
			t.Errorf("DecodeID(%q) = %q, want a refusal: EncodeID does not write it", segment, id)
		}
	}
}

func TestProjectDir(t *testing.T) {
	for _, c := range []struct{ name, cwd, want string }{
		{"plain", "/home/dev/api-server", "--home-dev-api-server--"},
		{"windows", `C:\Users\dev\api`, "--C-Users-dev-api--"},
		{"run of separators", `/a//:\b`, "--a-b--"},
		{"trailing separator", "/a/", "--a---"},
		{"root", "/", "--root--"},
		{"empty", "", "--root--"},
		{"escaped", "/home/dev/测试 项目", "--home-dev-~6D4B~8BD5~0020~9879~76EE--"},
		{"surrogate pair", "/🚀", "--~D83D~DE80--"},
		{"lone surrogate", "/\xed\xa0\x80", "--~D800--"},
		{"dashes in front", "/--a", "--a--"},
		{"long", "/home/dev/" + strings.Repeat("x", 300), "--home-dev-" + strings.Repeat("x", 242) + "--"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := diskname.ProjectDir(&c.cwd); got != c.want {
				t.Errorf("ProjectDir(%q) = %q, want %q", c.cwd, got, c.want)
			}
		})
	}
	if got := diskname.ProjectDir(nil); got != "_no-cwd" {
		t.Errorf("ProjectDir(nil) = %q", got)
	}
}

// The directories of the logs that dsh itself wrote, and of our own in every
// format, must be what these functions make of the headers' ids and cwds.
func TestFixtureDirectories(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(testdata+"/fixtures/dsh", func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "expected.json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		v, err := jstext.Parse(jstext.Decode(data))
		if err != nil {
			return err
		}
		id, _ := v.Get("sessionId").Text()
		segment, err := diskname.EncodeID(id)
		if err != nil {
			return err
		}
		var cwd *string
		if s, ok := v.Get("cwd").Text(); ok {
			cwd = &s
		}
		dir := filepath.Dir(path)
		want := []string{diskname.Bucket(cwd), diskname.ProjectDir(cwd)}
		got := filepath.Base(dir)
		if got == segment {
			got = filepath.Base(filepath.Dir(dir))
		}
		if got != want[0] && got != want[1] {
			t.Errorf("%s: cwd %q and id %q would be in %q", path, v.Get("cwd").Raw(), id, want)
		}
		seen++
		return nil
	})
	if err != nil || seen < 30 {
		t.Fatalf("%d fixtures, %v", seen, err)
	}
}

func TestGeneration(t *testing.T) {
	for _, c := range []struct {
		name string
		want int // -1: not a generation
	}{
		{"session.jsonl", 0},
		{"session.jsonl.zstd", 0},
		{"session.v1.jsonl", 1},
		{"session.v4.jsonl.zstd", 4},
		{"session.v10.jsonl", 10},
		{"session.v99999999999999999999.jsonl", math.MaxInt},
		{"session.v0.jsonl", -1},
		{"session.v05.jsonl.zstd", -1},
		{"session.V4.jsonl", -1},
		{"Session.jsonl", -1},
		{"session.v4.JSONL", -1},
		{"session.v9.jsonl.zstd.tmp", -1},
		{"session.v4.jsonl.zst", -1},
		{"session.v+4.jsonl", -1},
		{"session.v.jsonl", -1},
		{"session.v4", -1},
		{"session.lock", -1},
		{".jsonl", -1},
		{"", -1},
	} {
		got, ok := diskname.Generation(c.name)
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("Generation(%q) = %d, want %d", c.name, got, c.want)
		}
		if ok && got < math.MaxInt && c.name != diskname.LogName(got, c.name[strings.Index(c.name, ".jsonl"):]) {
			t.Errorf("LogName(%d) does not give %q", got, c.name)
		}
	}
}

func FuzzID(f *testing.F) {
	for c := range pathCases(f).Elements() {
		id := javascript(f, c.Get("idJson"))
		f.Add(*id)
		if s, ok := c.Get("segment").Text(); ok {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		if jstext.Valid(s) && s != "" {
			segment, err := diskname.EncodeID(s)
			if err != nil {
				t.Fatal(err)
			}
			if back, ok := diskname.DecodeID(segment); !ok || back != s {
				t.Errorf("%q became %q became %q", s, segment, back)
			}
		}
		if id, ok := diskname.DecodeID(s); ok {
			if again, err := diskname.EncodeID(id); err != nil || again != s {
				t.Errorf("segment %q is the id %q, which has the segment %q", s, id, again)
			}
		}
	})
}

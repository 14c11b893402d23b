package hostconfig_test

import (
	"strings"
	"testing"

	"github.com/dsh-toolkit/dsh/lib/hostconfig"
)

func TestDialect(t *testing.T) {
	none, comments := hostconfig.Dialect{}, hostconfig.Dialect{Comments: true}
	all := hostconfig.Dialect{Comments: true, TrailingCommas: true}
	for _, c := range []struct {
		dialect hostconfig.Dialect
		text    string
		want    string
	}{
		{none, "", ""},
		{none, " \n", ""},
		{none, "\xef\xbb\xbf{\"a\": [1, 2], \"b\": \"// , }\"}\n", ""},
		{none, "{\n  // mine, and yours\n  \"a\": 1\n}", "f:2:3: has a comment, which x does not take"},
		{none, "{\"a\": 1} /* , */", "f:1:10: has a comment, which x does not take"},
		{none, "{\"a\": [1,\n]}", "f:1:9: has a comma behind the last element, which x does not take"},
		{comments, "{\n  // mine,\n  \"a\": /* , */ 1\n}", ""},
		{comments, "{ // one,\n\"a\": 1, /* two */}", "f:2:7: has a comma behind the last element, which x does not take"},
		{comments, "{\"a\": 1} // the end\n", ""},
		{all, "{ // one,\n\"a\": [1,], /* two */}", ""},
	} {
		err := c.dialect.Check("f", "x", []byte(c.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if err := none.Check("f", "x", []byte("{")); err == nil || !strings.Contains(err.Error(), "f:1:") {
		t.Errorf("half a file: %v", err)
	}
}

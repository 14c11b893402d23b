package cli_test

import (
	"testing"

	"github.com/dsh-toolkit/dsh/lib/cli"
)

func TestDirectories(t *testing.T) {
	tests := []struct {
		name         string
		env          map[string]string
		state, cache string
	}{
		{"home", map[string]string{"HOME": "/h"}, "/h/.local/state/dsh-toolkit", "/h/.cache/dsh-toolkit"},
		{"xdg", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/c"}, "/s/dsh-toolkit", "/c/dsh-toolkit"},
		{"relative xdg is ignored", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "s"}, "/h/.local/state/dsh-toolkit", "/h/.cache/dsh-toolkit"},
		{"nothing known", nil, "", ""},
		{"xdg alone", map[string]string{"XDG_CACHE_HOME": "/c"}, "", "/c/dsh-toolkit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sys := &cli.System{Getenv: func(k string) string { return tt.env[k] }}
			if s, c := sys.StateDir(), sys.CacheDir(); s != tt.state || c != tt.cache {
				t.Errorf("got %q, %q; want %q, %q", s, c, tt.state, tt.cache)
			}
			if env := sys.StoreEnv(); env.Home != tt.env["HOME"] || env.CacheDir != tt.cache {
				t.Errorf("StoreEnv has %q, %q", env.Home, env.CacheDir)
			}
		})
	}
}

func TestColor(t *testing.T) {
	tests := []struct {
		env  map[string]string
		tty  bool
		want bool
	}{
		{nil, true, true},
		{nil, false, false},
		{map[string]string{"NO_COLOR": "1"}, true, false},
		{map[string]string{"TERM": "dumb"}, true, false},
	}
	for _, tt := range tests {
		sys := &cli.System{Getenv: func(k string) string { return tt.env[k] }}
		if got := sys.Color(tt.tty); got != tt.want {
			t.Errorf("%v on a terminal=%v: %v", tt.env, tt.tty, got)
		}
	}
}

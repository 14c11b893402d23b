package setup

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/fault"
	"github.com/dsh-toolkit/dsh/lib/hostconfig"
	"github.com/dsh-toolkit/dsh/lib/jstext"
)

// A plugin has one line that names the command, as an array of its words. In the
// source the array is empty.
const (
	commandLine = "const command = ["
	commandEnd  = "];\n"
)

// pluginWords is the command of a plugin of ours; ok is false for any other file.
func (s Setup) pluginWords(data []byte) (words []string, ok bool) {
	_, rest, found := bytes.Cut(data, []byte("\n"+commandLine))
	line, _, ended := bytes.Cut(rest, []byte(commandEnd))
	if !found || !ended || json.Unmarshal([]byte("["+string(line)+"]"), &words) != nil {
		return nil, false
	}
	own := len(words) >= 3 && hostconfig.IsProgram(words[0]) && words[1] == "hook" && words[len(words)-1] == s.Agent
	return words, own
}

// pluginText is the plugin with a command in it.
func (s Setup) pluginText(words []string) []byte {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, jstext.Quote(w))
	}
	line := "\n" + commandLine
	return []byte(strings.Replace(s.plugin, line, line+strings.Join(quoted, ", "), 1))
}

func (s Setup) installPlugin(c *Change, env Env, o Options) error {
	flags := o.Flags
	if c.file.Exists {
		words, ok := s.pluginWords(c.file.Data)
		if !ok {
			return notOurs(c.Path)
		}
		if flags == nil {
			flags = flagsOf(words)
		}
	}
	words := s.command(env, flags)
	if _, err := hostconfig.Join(words); err != nil { // status shows it as a command
		return notWritten(err)
	}
	c.after, c.exists = s.pluginText(words), true
	return nil
}

func (s Setup) removePlugin(c *Change) error {
	if _, ok := s.pluginWords(c.file.Data); !ok {
		return notOurs(c.Path)
	}
	return nil
}

// pluginEntry is what the plugin file has, in the way of an entry.
func (s Setup) pluginEntry(file *hostconfig.File) (e hostconfig.Entry, words []string, ok bool) {
	if words, ok = s.pluginWords(file.Data); ok {
		e.Command, _ = hostconfig.Join(words)
	}
	return e, words, ok
}

func notOurs(path string) error {
	return &fault.Error{
		Kind: fault.Usage, Code: fault.InvalidConfig, Subject: path,
		Message: "is not a file that dsh-ref wrote", Hint: "nothing was changed; move it away first",
	}
}

package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
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

// sumLine is the last line of a plugin: it names the sum of the text before it, with an
// empty command. So every version can tell a file that it, or another version, wrote from
// one that a person has changed.
const sumLine = "// The sum of what dsh-ref wrote above: sha256 "

// unsummed is the sums of the plugins that were written without a sumLine.
var unsummed = []string{
	"a883f815ac673aae9076d67147a90cb857c6599a1bdde5e1ca0d032723020fd5",
	"fa64659017d6647b4ea10839c361b52815d3fe1b54658b1bd6cecad891a227bf",
	"2ba223e0d95fa0822cf96af05ef983473d6dde6d18effffa7061ed2b2ccfb273",
	"c1ded0b7b05afaf8504e4f5610308836bcbe70984812b2e8a77429bbab51b3ee",
}

// pluginFile is what a file at the place of a plugin is.
type pluginFile struct {
	words []string // of its command; nil: not a plugin of ours
	// edited says that a person has changed more of it than the command.
	edited bool
}

func (s Setup) readPlugin(data []byte) pluginFile {
	text := string(data)
	before, rest, found := strings.Cut(text, "\n"+commandLine)
	line, after, ended := strings.Cut(rest, commandEnd)
	var words []string
	if !found || !ended || json.Unmarshal([]byte("["+line+"]"), &words) != nil {
		return pluginFile{}
	}
	if len(words) < 3 || !hostconfig.IsProgram(words[0]) || words[1] != "hook" || words[len(words)-1] != s.Agent {
		return pluginFile{}
	}
	source := before + "\n" + commandLine + commandEnd + after
	if at := strings.LastIndex(source, sumLine); at >= 0 {
		return pluginFile{words, source[at:] != sumLine+sum(source[:at])+"\n"}
	}
	return pluginFile{words, !slices.Contains(unsummed, sum(source))}
}

func sum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// pluginText is the plugin with a command in it.
func (s Setup) pluginText(words []string) []byte {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, jstext.Quote(w))
	}
	line := "\n" + commandLine
	text := strings.Replace(s.plugin, line, line+strings.Join(quoted, ", "), 1)
	return []byte(text + sumLine + sum(s.plugin) + "\n")
}

func (s Setup) installPlugin(c *Change, env Env, o Options) error {
	flags := o.Flags
	if c.file.Exists {
		old := s.readPlugin(c.file.Data)
		if err := old.check(c.Path); err != nil {
			return err
		}
		if flags == nil {
			flags = flagsOf(old.words)
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
	return s.readPlugin(c.file.Data).check(c.Path)
}

// check is an error where the file has words of a person's, which are neither replaced
// nor removed.
func (p pluginFile) check(path string) error {
	message := "is not a file that dsh-ref wrote"
	switch {
	case p.words == nil:
	case p.edited:
		message = "was changed since dsh-ref wrote it"
	default:
		return nil
	}
	return &fault.Error{
		Kind: fault.Usage, Code: fault.InvalidConfig, Subject: path,
		Message: message, Hint: "nothing was changed; move it away first",
	}
}

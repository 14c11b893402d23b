package send

import (
	"net/url"
	"strings"

	"github.com/dsh-toolkit/dsh/lib/agent"
	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/model"
)

// chooseModel makes the model that the flags name; nil for --dsh, which has one of
// its own. Nothing is asked, and no network used, that no flag names.
func chooseModel(c *cli.Call) (agent.Model, error) {
	named := 0
	for _, f := range []string{"model", "exec", "dsh"} {
		if c.IsSet(f) {
			named++
		}
	}
	switch {
	case named != 1:
		return nil, cli.Usage("say who answers: one of --model, --exec, --dsh")
	case c.IsSet("base-url") && !c.IsSet("model"):
		return nil, cli.Usage("--base-url goes with --model")
	case c.IsSet("store") && !c.IsSet("dsh"):
		return nil, cli.Usage("--store goes with --dsh")
	case c.IsSet("dsh"):
		return nil, nil
	case c.IsSet("exec"):
		if c.String("exec") == "" {
			return nil, cli.Usage("--exec: no command")
		}
		return model.Exec{Line: c.String("exec"), Stderr: ownWords(c)}, nil
	case c.String("model") == "":
		return nil, cli.Usage("--model: no name")
	}
	at, err := model.FindEndpoint(c.String("model"), c.String("base-url"), c.Sys.Getenv)
	if err != nil {
		return nil, err
	}
	return model.NewChat(model.ChatOptions{Endpoint: at, Model: c.String("model")}), nil
}

// optionalURL is the value of --dsh: a flag that may stand alone.
type optionalURL struct{ url string }

// IsBoolFlag tells package flag that the flag needs no value.
func (*optionalURL) IsBoolFlag() bool { return true }

// Set implements flag.Value; "true" is what package flag gives for no value.
func (o *optionalURL) Set(s string) error {
	if s == "true" {
		o.url = ""
		return nil
	}
	if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return cli.Usage("%q is not an http or https URL", s)
	}
	o.url = s
	return nil
}

func (o *optionalURL) String() string { return o.url }

// joinOptionalURL makes one argument of "--dsh URL": to package flag a flag whose
// value may be missing has one only behind an equals sign.
func joinOptionalURL(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		if (arg == "--dsh" || arg == "-dsh") && i+1 < len(args) && strings.Contains(args[i+1], "://") {
			i++
			arg += "=" + args[i]
		}
		out = append(out, arg)
	}
	return out
}

// Package uri is the program dsh-uri: it turns session ids into URIs and
// mentions, and back. It reads no session.
package uri

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/dsh-toolkit/dsh/lib/cli"
	"github.com/dsh-toolkit/dsh/lib/sessionuri"
)

// Main runs dsh-uri and returns its exit status.
func Main(sys *cli.System) int {
	return cli.Program{
		Name:    "dsh-uri",
		Usage:   "encode|decode|mention|parse [flags] [ARG…]",
		Summary: "Turn session ids into URIs and mentions, and back",
		Examples: []string{
			"dsh-uri mention --label 'retry bug' ID         # @[retry bug](dsh-session:…)",
			"dsh-uri decode dsh-session:ImEi                # the id it names",
			"dsh-uri parse < message.txt | jq .references   # what a message mentions",
		},
		Commands: []*urfave.Command{
			{
				Name: "encode", ArgsUsage: "[ID…]", Action: cli.Action(encode), Flags: recordFlags(),
				Usage: "Print the URI of each id, from standard input without operands",
			},
			{
				Name: "decode", ArgsUsage: "[URI…]", Action: cli.Action(decode), Flags: recordFlags(),
				Usage: "Print the id of each URI, from standard input without operands",
			},
			{
				Name: "mention", ArgsUsage: "ID", Action: cli.Action(mention),
				Usage: "Print the mention of a session",
				Flags: []urfave.Flag{
					&urfave.StringFlag{Name: "label", Usage: "call it `TEXT`; without, the label is the id"},
					&urfave.StringFlag{Name: "json-id", Usage: "the id as a `JSON` string, for ids that no argument can carry"},
				},
			},
			{
				Name: "parse", ArgsUsage: "[TEXT]", Action: cli.Action(parse),
				Usage: "Print a text's references as JSON, the text from standard input without an operand",
			},
		},
	}.Main(sys)
}

func recordFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "0", Usage: "NUL instead of newline ends what is read and what is written"},
		&urfave.BoolFlag{Name: "json", Usage: "read and write JSON strings"},
	}
}

// encode takes every id as it stands: one that looks like a URI is still an id,
// so that encode undoes decode whatever the id.
func encode(c *cli.Call) error {
	return convert(c, func(id string) (string, error) { return sessionuri.Encode(id), nil })
}

func decode(c *cli.Call) error { return convert(c, sessionuri.Decode) }

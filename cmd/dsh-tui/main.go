// Command dsh-tui is described in man/dsh-tui.1; its code is lib/app/tui.
package main

import (
	"os"

	"github.com/dsh-toolkit/dsh/lib/app/tui"
	"github.com/dsh-toolkit/dsh/lib/cli"
)

func main() { os.Exit(tui.Main(cli.OS())) }

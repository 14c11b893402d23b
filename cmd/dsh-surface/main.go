// Command dsh-surface is described in man/dsh-surface.1; its code is lib/app/surface.
package main

import (
	"os"

	"github.com/dsh-toolkit/dsh/lib/app/surface"
	"github.com/dsh-toolkit/dsh/lib/cli"
)

func main() { os.Exit(surface.Main(cli.OS())) }

// Command dsh-uri is described in man/dsh-uri.1; its code is lib/app/uri.
package main

import (
	"os"

	"github.com/dsh-toolkit/dsh/lib/app/uri"
	"github.com/dsh-toolkit/dsh/lib/cli"
)

func main() { os.Exit(uri.Main(cli.OS())) }

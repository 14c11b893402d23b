// Command dsh-send is described in man/dsh-send.1; its code is lib/app/send.
package main

import (
	"os"

	"github.com/dsh-toolkit/dsh/lib/app/send"
	"github.com/dsh-toolkit/dsh/lib/cli"
)

func main() { os.Exit(send.Main(cli.OS())) }

// Command dsh-ref is described in man/dsh-ref.1; its code is lib/app/ref.
package main

import (
	"os"

	"github.com/dsh-toolkit/dsh/lib/app/ref"
	"github.com/dsh-toolkit/dsh/lib/app/ref/early"
	"github.com/dsh-toolkit/dsh/lib/cli"
)

func main() {
	sys := cli.OS()
	sys.Stdin = early.Stdin()
	os.Exit(ref.Main(sys))
}

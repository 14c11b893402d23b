package cli

import "io"

// Unbuffered is standard output without the buffer of Out, for what is to be read
// as it comes. A program uses the one or the other. A closed pipe is a quiet end
// here too, if the error of the write is what the program ends with.
func (c *Call) Unbuffered() io.Writer { return stdout{c.Sys.Stdout} }

// Package cli is what the five programs share on their outside: streams, flags,
// errors, exit statuses, help and version.
//
// The rules of voice, kept here once for all programs:
//
//   - Data goes to standard output and nothing else does; notes, receipts and
//     progress go to standard error, progress only when that is a terminal.
//   - An error is one line, `dsh-x: SUBJECT: what happened`, lower case and
//     without a full stop; then, where it helps, `dsh-x: hint: what to type`.
//     Notes are `dsh-x: note: …`. With --json-errors an error is one line
//     {"error":{"code","message","hint"}} instead.
//   - Standard output is buffered, and a failing write or flush is a failure of
//     the program (/dev/full exits 1). A closed pipe is a quiet end, status 0: the
//     reader has what it wanted.
//   - Whatever a person or another session wrote is shown through %q or
//     lib/termtext on a terminal; into a pipe bytes stay exact.
//   - Flags come before operands and -- ends them; a flag given twice that takes
//     one value is the last one. A flag wins over the environment, that over the
//     default.
//
// Programs are functions of a System; nothing below one touches os.Stdin,
// os.Exit, the clock or the environment by itself.
package cli

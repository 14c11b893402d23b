// Package dshlog is the store of dsh's own sessions: append-only logs on disk, in
// formats 0 to 4, raw or zstd, in both directory layouts (FORMATS-dsh).
//
// It finds and lists sessions by the header of their newest generation, reads one
// exactly into its surface, looks up its title, and checks a log from end to end.
// Nothing is ever written below a root, and no lock is taken: dsh may be writing
// the same log. A reading is one observation, of what was there when the file was
// opened; what is appended meanwhile belongs to the next.
//
// The parts have packages of their own: diskname (names), zframe (zstd frames),
// chunkrow (packed rows), record (one line), scan (a whole log). The fold of
// events into a surface is lib/session's.
//
// # Which file is the session
//
// A session's directory may hold several generations. The numerically highest
// canonical name is the log; if its format is newer than this toolkit reads, the
// session is refused, whatever else lies beside it. Two logs of the same generation
// (raw and zstd), and logs of one id below different directories, are all found, and
// it is for the caller to say that they are ambiguous.
//
// # What is verified
//
// Every reading holds each line to be JSON, each packed row to its rules, and each
// seq to be the next; the fold holds the rules of the surface. Lines of a shape
// that is known are compared and not parsed (see record), which finds the same.
// ReadOptions.Verify parses them all the same, by the code that everything else
// rests on, for those who would rather not believe that.
//
// What the data of log-only records says is looked at by neither.
package dshlog

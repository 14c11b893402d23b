// Package pi reads the sessions of the pi coding agent: JSON lines with a header
// and a tree of entries, format versions 1 to 3.
//
// The conversation is the path from the last entry of the file back to its root;
// other branches stay in the file and are counted in the receipt. The newest
// compaction on the path is the checkpoint: its summary, the entries it kept, and
// what came after. Messages of a person and finished answers count; tool results,
// shell commands, extension messages and branch summaries do not, and neither do
// answers that failed or were aborted, which pi leaves out of its next request too.
//
// An entry whose parent is not in the file (pi's own forks lose labels in this
// way, and a damaged line does too) is taken to follow the entry before it, and the
// reading says so; pi's model would see nothing from before it. Entries whose
// parents form a circle stand in the order of the file.
//
// Of several files with one id the newest counts. A title may stand anywhere in a
// file; where the head and the tail do not tell, the body is read once and the answer
// kept in a cache.
//
// A record's index is its seq; the last one is what a session was captured
// through. Checked against descriptions of pi 0.58.3 and of
// its documentation (March 2026), not against the program.
package pi

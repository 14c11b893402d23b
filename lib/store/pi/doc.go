// Package pi reads the sessions of the pi coding agent: one file of JSON lines for
// each, <agent>/sessions/--<directory>--/<time>_<uuid>.jsonl, a header and entries
// that name their parents. Versions 1 to 3 are read; a newer one is read by the same
// rules, with a note.
//
// The conversation is the path from the last entry of the file back to the root: what
// the user said, steering included, and the text of answers that were neither aborted
// nor failed. The newest compaction on the path is the checkpoint, with the entries
// that it keeps (or the messages that it retains itself); earlier compactions do not
// come back. Branches that were left are counted. Tool calls and results, reasoning,
// shell commands, extensions' messages, and summaries of other branches are left out.
// A skill that was called reads /skill:name again, and files that were put before a
// prompt by @ are taken off.
//
// Reading goes over the file twice: facts first, then the texts on the path.
//
// The seq of an event is the index of its record in the file, the header being 0. A
// checkpoint has the seq of the record before the first that it keeps.
//
// One point is a choice. The parent of an entry may not be in the file: it is damaged,
// or it was a label, which pi leaves out of the file of a fork. pi's model then sees
// nothing before that entry. Here the line before takes the parent's place, and a note
// says so, because that is where the parent stood.
//
// Checked against the sources and the documentation of pi 0.58 (March 2026).
package pi

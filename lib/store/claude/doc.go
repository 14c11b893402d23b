// Package claude reads the sessions of Claude Code: one JSON-lines file for each,
// <root>/<slug of the directory>/<uuid>.jsonl, which is a tree of entries that
// name their parents.
//
// Reading goes over a file twice. The first pass keeps a few words for each entry
// (index.go), then the tree is repaired and the current branch chosen (tree.go),
// and only the texts on that branch are fetched (read.go). So memory follows what
// is shown, and about a hundred bytes for each entry.
//
// The conversation is the branch that ends in the user or assistant entry latest
// in the file, back to the last compaction on it. Not part of it: sidechains and
// subagents, meta and injected text, local commands, tool calls and results,
// reasoning, aborted, failed and superseded answers, an answer that is still being
// written, and branches that a rewind left behind (counted).
//
// The format is not published and changes often. These rules were checked against
// descriptions of versions 1.0 to 2.1.28x (August to December 2026); where a log
// of a running agent disagrees, the log is right. Unknown records are passed over.
// Doubtful points are lenient:
//
//   - a parent that is not in the file is repaired to the nearest earlier entry,
//     with a note;
//   - an unfinished last answer is recognised by a missing stop_reason in versions
//     from 2.1 on;
//   - a queue-operation counts as steering only in files that have no
//     queued_command at all.
package claude

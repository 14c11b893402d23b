// Package codex reads the rollouts of the OpenAI Codex CLI: one JSON-lines file
// for each thread, plain or packed with zstd, below sessions/YYYY/MM/DD or in
// archived_sessions.
//
// A rollout is a journal: prompts and answers, compactions that replace what was
// before them, rollbacks that take turns back. The first pass keeps a few words of
// each (timeline.go); what is left after all of it is fetched in a second pass, so
// memory follows what is shown. Three eras of lines are read: bare (to September
// 2025), wrapped, and paginated, whose forks point into their ancestor's rollout.
//
// The conversation is what people typed, steering included, and all assistant
// text. Not part of it: context that was injected in the user's role, developer
// and system messages, reasoning, tools, events (which repeat the messages), turns
// that were rolled back, and what a compaction replaced. A remote compaction's
// summary is encrypted: the receipt says so, and what is readable is given.
//
// Checked against descriptions of Codex 0.98 to 0.158 (August to December 2026);
// where a log of a running agent disagrees, the log is right. Unknown lines are
// passed over. Doubtful points are lenient:
//
//   - a rollback over a compaction restores the state before the turn that was
//     dropped, with a note; the agent's own code did not fully do that;
//   - of several rollouts of one thread the newest by name counts, since only the
//     agent's database says which one is current;
//   - an ancestor that is missing leaves the fork's own part, with a note; the
//     receipt counts it as damage.
package codex

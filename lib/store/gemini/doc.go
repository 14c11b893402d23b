// Package gemini reads the chat recordings of Gemini CLI: one file for each session,
// <home>/.gemini/tmp/<project>/chats/session-<time>-<8 characters of the id>, since
// April 2026 JSON lines (.jsonl), before one JSON object (.json).
//
// A file of lines is a journal: messages, later versions of a message under the same
// id, changes of the metadata, lists that replace all messages before them (after a
// compression, or when tool output was masked), and rewinds. It is replayed twice:
// the first pass keeps an id and a place for each message, the second fetches the
// texts of those that are left. Only the last replaced list is ever held, pruned to
// its texts, however many and large the earlier ones were.
//
// The conversation is what a person typed (as shown, before a custom command or a
// file reference was expanded) and the text of the answers. Not part of it: session,
// hook and editor contexts, nudges, local slash commands, tool calls and results,
// thoughts, notices and errors. A steering hint is kept without its frame. The latest
// state snapshot of a compression is the checkpoint.
//
// The seq of an event is the index of the message's first record in the file; the
// messages of a replacing list are numbered backwards from their record. In a .json
// file it is the message's position.
//
// The directory a session belongs to is not in its file. It is the project's
// .project_root, else what projects.json says of the project's name or hash.
//
// A journal whose first record is damaged, which names the session, has its file's name
// for an id.
//
// Checked against descriptions of Gemini CLI 0.56 (August 2026), not against the
// program. Doubtful points are lenient: a .json file without a snapshot counts as uncompressed, and a snapshot is
// recognised in any list, not only behind the agent's acknowledgement.
package gemini

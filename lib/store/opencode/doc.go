// Package opencode reads the sessions of OpenCode in all the places where its
// versions have kept them, often two at once on one machine:
//
//   - SQL v2 (2.0 and later): tables session_v2 and session_message
//   - SQL v1 (1.2 to 1.x): tables session, message and part
//   - JSON files (before 1.2): storage/session, storage/message, storage/part
//   - the JSON files of mid 2025: project/<slug>/storage/session/{info,message,part}
//
// They are read as one store. Where several hold one session, the first of the list
// that has messages for it counts. Upgrades are known to stop half way, and what they
// leave behind stays as it was: messages and parts that a newer place lacks are taken
// from the files, as long as the session was not changed since. What is in no place is
// damage.
//
// Databases are observed through package snapshot: nothing is locked, created or
// written, and a database of any size is asked only for the rows of one session.
// JSON files are rewritten in place by OpenCode, so one that does not parse is read
// a second time before it counts as damaged.
//
// What is kept of a session is what OpenCode sends to its model next: the typed text of
// a user message (no synthetic or ignored parts), the text of an assistant message that
// did not fail, as far as it came where a person aborted it or the program was killed,
// and the latest finished compaction as the checkpoint, together with the tail it keeps.
// Reasoning, tools, files, a text that still grows and what a pending revert hides are
// left out. In v2 a message that was not completed without an error is left out whole. A compaction of v2 that only its provider can read is
// passed over, as OpenCode does without that provider.
//
// The seq of an event is the row's seq in v2; before, it is the message's position
// in the session, from 0. CapturedThroughSeq is the highest of them, counting also
// messages that are not on the surface. A checkpoint has the seq of its row in v2;
// before, that of the last message that it replaced.
//
// SQL v1 is compared with OpenCode 1.18.33: turns, tools, reverts, forks, compaction,
// aborted and killed turns, steering. The rest is checked against descriptions of
// versions 1.2 to 2.0 (February to September 2026), not against the program.
package opencode

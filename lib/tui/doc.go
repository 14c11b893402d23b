// Package tui is the terminal host: a conversation with one session, an editor
// that completes mentions and paths, and the way of a message from there to the
// agent.
//
// It adapts and owns no rule. What a mention is, lib/sessionuri says; what becomes
// of one, the Preparer; who owns a message, the Agent. What comes first here:
//
//   - Update and View do no I/O and never wait. Whatever may be slow is a command
//     with a context of its own, and each answer carries the number of the question,
//     so that a late one changes nothing.
//   - A submission is locked in the editor until the agent owns it. Cancelling it or
//     its failing gives the editor back as it was; nothing that comes later can send
//     it.
//   - Whether a message is sent or steers is asked when it is ready, not when Enter
//     was pressed.
//   - No byte of another session's text reaches the terminal but through
//     lib/termtext.
//
// Rules: SPEC 8.
package tui

// Package oracle says what a session is by what its agent sends to the model next: the
// messages of that request, less what the agent adds by itself. They must be the
// conversation that dsh-surface --project gives for the log as it stood just before,
// texts exact and order exact, with nothing missing and nothing added.
//
// What an agent adds by itself is one file an agent here. It is written from the
// requests alone: nothing of the readers is used, so that a wrong notion of theirs
// does not hide itself.
package oracle

// Package reference prepares a message that mentions other sessions: it reads each
// of them once, projects what was said, keeps of it what fits, and puts all into
// one context beside the message, which it leaves as it is (SPEC 5 and 6).
//
// It reads through the Reader that the caller gives, knows no store, URI, flag or
// terminal, prints nothing and writes nothing. Preparing is all or nothing, can be
// cancelled at any moment, and two calls may run at the same time.
package reference

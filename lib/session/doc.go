// Package session is the model of a conversation log: header, events, the fold
// that makes the current surface of them, the shapes of messages in every format,
// and titles. It knows no file and no store.
//
// Readers turn bytes into events, Fold turns events into the surface, and
// Surface is what everything after that works on. Sessions of other agents are
// put into the same vocabulary by their readers (format 0 events).
//
// Rules: SPEC 4 and the record table of FORMATS-dsh.
package session

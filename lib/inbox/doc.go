// Package inbox is a durable queue of frozen messages, one line for each target.
//
// What Enqueue has returned survives a crash of every process and of the machine;
// what it has not returned is there whole or not at all. Records leave in the
// order of their sequence numbers, which is the order in which they became
// visible, over any number of writing processes. One driver at a time takes them;
// what a driver has claimed and not finished when it dies is taken up again by the
// next, with the number of attempts counted. The package knows nothing of
// sessions, models or what a message means.
//
// # On disk
//
// The discipline is maildir's. Below the inbox every target has a directory, made
// with its first record:
//
//	TARGET/queue.json   {"format":1,"to":"…"}: made last, so where it is, all is
//	TARGET/lock         the next sequence number; flock held while names change
//	TARGET/driver       the driver's process id; flock held as long as it lives
//	TARGET/tmp/         records being written, each under a flock of its writer
//	TARGET/new/         what waits
//	TARGET/cur/         what a driver has claimed; SEQ.KEY.abort asks it to abort
//	TARGET/done/        what is finished, the Options.Keep of the highest numbers
//
// TARGET is the id as dsh names session directories (lib/store/dshlog/diskname),
// or, where that is longer than 200 bytes, its first 150 bytes, two tildes and the
// sha256 of the id in hex. A record is one file, named so that names alone give
// order and state:
//
//	0000000000000012.steer.8f3c…e1.0.json             SEQ.KIND.KEY.ATTEMPTS.json
//	0000000000000012.steer.8f3c…e1.0.dropped.json     cancelled, in done/
//
// KEY is the first 32 hex digits of the sha256 of the record's id. The file is one
// line of JSON, {"id","to","kind","content","source","contexts"|"meta","time"}: the
// sequence number is in the name because it is allotted when the bytes are already
// on disk. Files are 0600, directories 0700. Other names are left alone.
//
// A record is written to tmp and flushed, then, under the lock, given the next
// number and renamed to new, and the directory is flushed before Enqueue returns.
// So writers wait for the disk side by side and for each other only to rename. The
// number is not flushed: a machine that has crashed has another boot id, which is
// kept beside it, and then (and where there is no boot id, always) the directories
// are searched for the highest number. The clock plays no part.
//
// # Identity
//
// An id names one record of its target, for as long as the record is on disk:
// while it waits, while it is claimed, and until Options.Keep others of higher
// numbers have been finished. Enqueue with the id of such a record returns that record if
// the message is the same, and is an error otherwise.
//
// # Links
//
// Nothing is written through a symbolic link: the inbox and all below it are opened
// by descriptor (os.Root), and a link in the place of any of it is an error.
// The way to the inbox may lead over links.
//
// # Limits
//
// flock must work where the inbox is: a local file system, or a network one whose
// locks hold across its hosts. Systems without flock are refused.
package inbox

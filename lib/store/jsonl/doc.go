// Package jsonl reads the append-only JSON-lines files in which other agents keep
// their sessions, while those agents may be writing them.
//
// A file is a Source: opened once, observed up to the size it had then, plain or
// zstd (the first bytes decide, never the name). Records yields its records one
// by one; Fetch goes back to some of them; Peek reads only the head and the tail,
// for listings.
//
// What a record costs is what of it is kept: a Shape names the members that a
// reader needs, and everything else is checked and let go while it streams by, so
// that a line of a gigabyte whose tool output nobody wants takes no memory. The
// values that come out are ordinary jstext values of the pruned record.
//
// What counts as a record:
//   - one JSON object; lines end in LF or CRLF, a BOM before a record is
//     passed over;
//   - NULs, which a power cut leaves, are passed over and counted: a run of them
//     between records is damage, though it is no record;
//   - two objects welded together on one line are two records;
//   - a record that was cut off with a whole one behind it on the line is damaged, and
//     the whole one is read, wherever the cut is. It must be whole up to the next one, a
//     run of NULs or the line's end, and where it stands in the place of a value it must
//     have the Form of a record: objects inside of the cut record are none;
//   - any other text that is not JSON is damaged up to the end of its line;
//   - what is left unfinished at the end of the file is the torn tail: not there
//     yet, never an error. A last object that is closed counts, with or without a
//     line end.
//
// Bytes that are not UTF-8 become U+FFFD (SPEC 2) in kept strings. Nothing here
// writes, locks, or follows what a file claims about its own size.
package jsonl

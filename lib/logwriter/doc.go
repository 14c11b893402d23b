// Package logwriter appends to the session logs that the toolkit itself owns.
//
// A log is one raw JSONL file of format 0 with the early event vocabulary, in the
// late directory layout, below a root of the toolkit's own:
//
//	<root>/.dsh-toolkit                                 the mark of a root of ours
//	<root>/--home-dev-api--/<encoded id>/session.jsonl  the log
//	<root>/--home-dev-api--/<encoded id>/session.lock   whose flock the writer holds
//
// Every reader of format 0 can load such a log. What a reader can rely on:
//
//   - The file appears whole: it is written aside with its header and linked into
//     place, which overwrites nothing.
//   - A batch is one write and one fsync, and only then acknowledged. A crash
//     leaves some prefix of a batch; what is not a whole line is a torn tail, cut
//     off before the next append.
//   - A turn that a crash interrupted is closed when the log is next opened for
//     writing (session.Repair), before anything else is appended.
//   - There is one writer at a time. The lock is the kernel's, so it ends with the
//     process that holds it, however that ends.
//
// A root without the mark is somebody else's, dsh's most of all, and is never
// written to. A log that is damaged before its tail is refused: cutting it would
// lose what was acknowledged. Directories are made 0700, files 0600, and no
// symbolic link is followed to a file that is written.
//
// Rules: FORMATS-dsh, Writing.
package logwriter

// Package diskname maps session ids, working directories and format generations
// to the names that dsh gives them on disk, and back.
//
// Two layouts exist below a root. The early one (format 0, July 2026) keeps a
// file per session in a bucket that is a hash of the working directory; the late
// one keeps a directory per session below a readable key of the working
// directory, with one file for each format generation:
//
//	cwd-98bce8e9987b/<encoded id>.jsonl[.zstd]
//	--home-dev-api--/<encoded id>/session.jsonl[.zstd]      format 0
//	--home-dev-api--/<encoded id>/session.v4.jsonl[.zstd]   format 4
//
// An id survives the way there and back. A working directory does not: its
// bucket is a hash and its key is lossy, so a reader takes it from the header.
// Nothing here touches a file system.
//
// Rules: FORMATS-dsh, Where.
package diskname

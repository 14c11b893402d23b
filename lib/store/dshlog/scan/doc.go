// Package scan reads a whole dsh log once, from bytes to the events of its surface:
// it frames lines, raw or zstd, holds their seqs against each other, and decides
// what of a log that is torn or damaged counts.
//
// A log is cut into pieces that are read, decoded and looked through by several
// goroutines; what they find is put together in order. Memory follows the largest
// line and what the sink keeps, not the log: nothing is kept of a line that the
// sink does not get.
//
// # What counts
//
// Every line that ends in a line feed is a record. The last one without is a torn
// tail: its writer is not done, or died; it is not there yet, and never an error.
// The same goes for a last zstd frame that is cut, but for the lines that its
// blocks already give.
//
// The first record that is no JSON, or whose seq is not the next one, and the first
// zstd frame that does not decode to its checksum, is damage. Where a turn/end
// stands behind it the region was committed, and the log is corrupt: an error.
// Otherwise what stands before the damage counts, and the rest is a damaged tail.
//
// # One observation
//
// A log may grow while it is read: what counts is what was there when its size was
// taken. Earlier bytes of a log never change, but a writer that comes back cuts off
// a torn tail: whether the file still holds what was read is for the caller to ask.
//
// # Limits
//
// There is no limit to a line of a raw log. A zstd log that decodes to more than
// 64 MiB and 256 times its size, and a line of more than 256 MiB in one, are refused:
// real logs are far from either, and a file of a few kilobytes must not fill the
// memory.
//
// Rules: FORMATS-dsh, Bytes; vectors/scan-log.
package scan

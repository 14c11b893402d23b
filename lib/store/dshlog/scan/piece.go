package scan

import "bytes"

// part is a stretch of decoded bytes that has been looked through: whole lines,
// between the end of a line that began before and the beginning of one that goes
// on behind.
type part struct {
	size  int64
	head  []byte // up to and with the first line feed; all, if there is none
	whole bool   // there is a line feed
	run   run    // of the lines between
	tail  []byte // behind the last line feed
	frame int64  // offset of the zstd frame that the part begins in
	// err says that the bytes of a frame of that size do not decode: the part has
	// nothing else.
	err    error
	frames int64 // that end in the part
}

// newPart looks through buf and keeps nothing of it.
func newPart(r *reader, buf []byte) part {
	p := part{size: int64(len(buf))}
	first := bytes.IndexByte(buf, '\n')
	if first < 0 {
		p.head = bytes.Clone(buf)
		return p
	}
	p.whole = true
	p.head = bytes.Clone(buf[:first+1])
	last := bytes.LastIndexByte(buf, '\n')
	p.run = r.read(buf[first+1 : last+1])
	p.tail = bytes.Clone(buf[last+1:])
	return p
}

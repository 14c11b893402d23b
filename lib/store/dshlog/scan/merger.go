package scan

import (
	"context"
	"errors"
	"io"
	"strconv"
)

// maxPending is how much of a line that goes on is held; of a longer one in a file
// only the place is, until its end is found. It is a variable for the sake of tests.
var maxPending int64 = 16 << 20

// maxDamages is how many places a result names.
const maxDamages = 1000

// merger puts what was found in the pieces together, in order.
type merger struct {
	src   Source
	opts  Options
	sink  Sink
	lines reader
	res   Result

	at     int64 // decoded bytes so far
	bytes  int64 // of the file so far
	next   int64 // the seq that must come next
	tail   int64 // the seq that follows the last record, damaged or not; -1 unknown
	header bool  // the header line is over
	frame  int64 // the zstd frame at hand

	pending   []byte // of the line that goes on
	pendingAt int64
	pendingN  int64

	sinkErr error
}

func (m *merger) all(ctx context.Context, order <-chan *job) error {
	for {
		var j *job
		select {
		case <-ctx.Done():
			return ctx.Err()
		case got, ok := <-order:
			if !ok {
				return m.end(ctx)
			}
			j = got
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-j.done:
		}
		if err := m.job(j); err != nil {
			return err
		}
	}
}

func (m *merger) job(j *job) error {
	m.bytes += j.size
	for i := range j.parts {
		if err := m.part(&j.parts[i]); err != nil {
			return err
		}
	}
	m.res.Torn += j.torn
	return j.err
}

func (m *merger) part(p *part) error {
	m.res.Frames += p.frames
	m.frame = p.frame
	if p.err != nil {
		// The line that went on has lost its end.
		m.pending, m.pendingN, m.pendingAt = nil, 0, m.at
		return m.broken(Damage{Rule: ruleFrame, Frame: p.frame, Offset: m.at, Expected: m.next, Err: p.err})
	}
	if m.res.Encoding == Zstd && m.at+p.size > minDecoded+maxRatio*m.bytes {
		return bombFault(p.frame)
	}
	if err := m.hold(p.head); err != nil || !p.whole {
		m.at += p.size
		return err
	}
	if err := m.boundary(); err != nil {
		return err
	}
	if err := m.run(&p.run, m.at+int64(len(p.head))); err != nil {
		return err
	}
	m.at += p.size
	m.pendingAt = m.at - int64(len(p.tail))
	return m.hold(p.tail)
}

// hold keeps bytes of a line that goes on.
func (m *merger) hold(b []byte) error {
	m.pendingN += int64(len(b))
	switch {
	case m.res.Encoding == Zstd && m.pendingN > maxZstdLine:
		return lineFault(m.pendingAt)
	case m.res.Encoding == Raw && m.src.At != nil && m.pendingN > maxPending:
		m.pending = nil
	default:
		m.pending = append(m.pending, b...)
	}
	return nil
}

// boundary takes the line that began in one piece and ended in another. The first
// of all is the header, which has been read.
func (m *merger) boundary() error {
	line, at := m.pending, m.pendingAt
	if n := m.pendingN; int64(len(line)) < n {
		line = make([]byte, n)
		if got, err := m.src.At.ReadAt(line, at); int64(got) < n {
			if err == nil || errors.Is(err, io.EOF) {
				return ErrShrunk
			}
			return err
		}
	}
	m.pending, m.pendingN = m.pending[:0], 0
	if !m.header {
		m.header = true
		m.res.Committed = at + int64(len(line))
		return nil
	}
	rn := m.lines.read(line)
	for i := range rn.damage {
		rn.damage[i].Frame = m.frame
	}
	return m.run(&rn, at)
}

// run takes whole lines that begin at base.
func (m *merger) run(rn *run, base int64) error {
	if rn.lines == 0 {
		return nil
	}
	if len(m.res.Damage) > 0 {
		return m.behind(rn, base)
	}
	if rn.first >= 0 && rn.first != m.next {
		err := m.broken(Damage{Rule: ruleGap, Frame: m.frame, Offset: base, Expected: m.next, Got: strconv.FormatInt(rn.first, 10)})
		if err != nil {
			return err
		}
		return m.behind(rn, base)
	}
	if err := m.fold(rn); err != nil {
		return err
	}
	if rn.good > 0 {
		m.res.Committed = base + int64(rn.good)
	}
	for _, typ := range rn.unknown {
		m.res.Unknown = addUnknown(m.res.Unknown, typ)
	}
	if len(rn.damage) == 0 {
		return nil
	}
	m.res.Dropped += rn.dropped
	first := rn.damage[0].Offset
	if err := m.damages(rn.damage, base); err != nil {
		return err
	}
	m.tail = rn.tail
	if rn.ends && int64(rn.lastEnd) >= first {
		return m.committed(base + int64(rn.lastEnd))
	}
	return nil
}

// fold hands the events of a good run on.
func (m *merger) fold(rn *run) error {
	if rn.first < 0 {
		return nil
	}
	if m.sink != nil {
		for _, ev := range rn.events {
			m.sink.Skip(ev.Seq - m.next)
			m.next = ev.Seq + 1
			if err := m.sink.Add(ev); err != nil {
				if !m.opts.All {
					return err
				}
				m.sinkErr, m.sink = err, nil
				break
			}
		}
	}
	if m.sink != nil {
		m.sink.Skip(rn.next - m.next)
	}
	m.next = rn.next
	return nil
}

// behind takes lines that stand behind damage: nothing of them counts, but a
// turn/end among them says that the damage was not there once.
func (m *merger) behind(rn *run, base int64) error {
	m.res.Dropped += rn.lines
	if m.opts.All {
		if m.tail >= 0 && rn.first >= 0 && rn.first != m.tail {
			d := Damage{Rule: ruleGap, Frame: m.frame, Offset: base, Expected: m.tail, Got: strconv.FormatInt(rn.first, 10)}
			if err := m.broken(d); err != nil {
				return err
			}
		}
		if err := m.damages(rn.damage, base); err != nil {
			return err
		}
	}
	m.tail = rn.tail
	if rn.ends {
		return m.committed(base + int64(rn.lastEnd))
	}
	return nil
}

// damages takes the damage of a run that begins at base.
func (m *merger) damages(ds []Damage, base int64) error {
	for _, d := range ds {
		d.Offset += base
		if d.Expected < 0 && len(m.res.Damage) == 0 {
			d.Expected = m.next
		}
		if err := m.broken(d); err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) broken(d Damage) error {
	if !m.header {
		return headFault("no-header", d.String())
	}
	if n := len(m.res.Damage); n == 0 || m.opts.All && n < maxDamages {
		m.res.Damage = append(m.res.Damage, d)
	}
	m.tail = -1
	return nil
}

// committed takes note of a turn/end at the offset at.
func (m *merger) committed(at int64) error {
	for i := range m.res.Damage {
		if d := &m.res.Damage[i]; d.Offset <= at {
			d.Committed = true
		}
	}
	if m.opts.All {
		return nil
	}
	return m.res.Damage[0].Fault()
}

// end is called when the last piece has been taken.
func (m *merger) end(ctx context.Context) error {
	if m.res.Torn == 0 {
		m.res.Torn = m.pendingN
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !m.header:
		return headFault("no-header", "no session header yet: the first line is not complete")
	}
	return m.sinkErr
}

// result is what has been found out, at the end or at an error.
func (m *merger) result() *Result {
	m.res.Bytes, m.res.Decoded, m.res.Events = m.bytes, m.at, m.next
	return &m.res
}

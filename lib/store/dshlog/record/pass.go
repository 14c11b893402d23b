package record

// Pass goes over lines at the beginning of buf for as long as each has a known
// shape and the next seq, starting with next. It returns the bytes of those lines
// and the seq that must follow. It allocates nothing.
func (r *Reader) Pass(buf []byte, next int64) (n int, follows int64) {
	if r.Plain || next < 0 || len(r.shapes[0].tail)+len(r.shapes[1].tail) == 0 {
		return 0, next
	}
	var c counter
	c.set(next)
	for {
		size := r.pass(buf[n:], &c)
		if size == 0 {
			return n, next
		}
		n += size
		next++
		c.inc()
	}
}

// pass tries the shapes on one line, the one that fitted last first.
func (r *Reader) pass(buf []byte, c *counter) int {
	if size := r.shapes[r.recent].match(buf, c); size > 0 {
		return size
	}
	for i := 1; i < shapeCount; i++ {
		k := (r.recent + i) % shapeCount
		if size := r.shapes[k].match(buf, c); size > 0 {
			r.recent = k
			return size
		}
	}
	return 0
}

// match returns the length of the line at the beginning of buf if it has the shape
// and the counter's seq, else 0. An empty shape fits nothing.
func (s *shape) match(buf []byte, c *counter) int {
	seq := c.digits()
	i := len(s.head) + len(seq)
	if len(s.tail) == 0 || len(buf) < i+len(s.mid) || string(buf[:len(s.head)]) != string(s.head) ||
		string(buf[len(s.head):i]) != string(seq) || string(buf[i:i+len(s.mid)]) != string(s.mid) {
		return 0
	}
	i += len(s.mid)
	j := i
	for j < len(buf) && buf[j]-'0' <= 9 {
		j++
	}
	if j == i || j-i > maxDigits || buf[i] == '0' && j-i > 1 ||
		len(buf) < j+len(s.lead) || string(buf[j:j+len(s.lead)]) != string(s.lead) {
		return 0
	}
	i = j + len(s.lead)
	for i < len(buf) && plain[buf[i]] {
		i++
	}
	if i < len(buf) && buf[i] == '\\' {
		i = escaped(buf, i)
	}
	if len(buf) < i+len(s.tail) || string(buf[i:i+len(s.tail)]) != string(s.tail) {
		return 0 // this also catches a string that stops at a control character
	}
	return i + len(s.tail)
}

// plain are the bytes that stand for themselves in a string literal.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// escaped goes on in a string literal that has escapes, from the first of them,
// and returns where the literal or its grammar ends.
func escaped(buf []byte, i int) int {
	for i < len(buf) {
		switch {
		case plain[buf[i]]:
			i++
		case buf[i] != '\\' || i+1 >= len(buf):
			return i
		case buf[i+1] == 'u':
			for k := 2; k < 6; k++ {
				if i+k >= len(buf) || !isHex(buf[i+k]) {
					return i
				}
			}
			i += 6
		default:
			switch buf[i+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i += 2
			default:
				return i
			}
		}
	}
	return i
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// counter is a seq in decimal that counts up in place.
type counter struct {
	buf [20]byte
	at  int
}

func (c *counter) set(n int64) {
	c.at = len(c.buf)
	for {
		c.at--
		c.buf[c.at] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return
		}
	}
}

func (c *counter) inc() {
	for i := len(c.buf) - 1; i >= c.at; i-- {
		if c.buf[i] != '9' {
			c.buf[i]++
			return
		}
		c.buf[i] = '0'
	}
	c.at--
	c.buf[c.at] = '1'
}

func (c *counter) digits() []byte { return c.buf[c.at:] }

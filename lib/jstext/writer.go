package jstext

import "strconv"

// Writer builds one compact JSON text, putting in the commas. The zero value is
// ready. It does not check that calls make sense together: that is the caller's
// code, not input.
type Writer struct {
	buf   []byte
	comma bool
	// TagSafe writes keys and strings as AppendQuoteTagSafe does (SPEC 6).
	TagSafe bool
}

// Bytes is what has been written; the writer still owns it.
func (w *Writer) Bytes() []byte { return w.buf }

func (w *Writer) String() string { return string(w.buf) }

// Len is the number of bytes written.
func (w *Writer) Len() int { return len(w.buf) }

// Value is what has been written, as a value.
func (w *Writer) Value() Value { return Value{string(w.buf)} }

func (w *Writer) sep() {
	if w.comma {
		w.buf = append(w.buf, ',')
	}
	w.comma = true
}

// BeginObject and the three below open and close brackets.
func (w *Writer) BeginObject() { w.open('{') }

// EndObject closes an object.
func (w *Writer) EndObject() { w.close('}') }

// BeginArray opens an array.
func (w *Writer) BeginArray() { w.open('[') }

// EndArray closes an array.
func (w *Writer) EndArray() { w.close(']') }

func (w *Writer) open(c byte) {
	w.sep()
	w.buf = append(w.buf, c)
	w.comma = false
}

func (w *Writer) close(c byte) {
	w.buf = append(w.buf, c)
	w.comma = true
}

// Key writes a member's key; its value must follow.
func (w *Writer) Key(k string) {
	w.sep()
	w.buf = append(appendQuote(w.buf, k, w.TagSafe), ':')
	w.comma = false
}

// Text writes a string.
func (w *Writer) Text(s string) {
	w.sep()
	w.buf = appendQuote(w.buf, s, w.TagSafe)
}

// Int writes an integer.
func (w *Writer) Int(n int64) {
	w.sep()
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

// Bool writes true or false.
func (w *Writer) Bool(b bool) {
	w.sep()
	w.buf = strconv.AppendBool(w.buf, b)
}

// Null writes null.
func (w *Writer) Null() {
	w.sep()
	w.buf = append(w.buf, "null"...)
}

// OptText writes a string, or null for nil.
func (w *Writer) OptText(s *string) {
	if s == nil {
		w.Null()
		return
	}
	w.Text(*s)
}

// OptInt writes an integer, or null for nil.
func (w *Writer) OptInt(n *int64) {
	if n == nil {
		w.Null()
		return
	}
	w.Int(*n)
}

// Raw writes v as AppendJSON does. It is not made tag-safe.
func (w *Writer) Raw(v Value) {
	w.sep()
	w.buf = v.AppendJSON(w.buf)
}

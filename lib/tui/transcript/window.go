package transcript

// gap is 1 for an item with a blank row before it: all but the first, and those
// that belong to the one before.
func (t *Transcript) gap(i int) int {
	if i == 0 || t.items[i].kind == toolRun && t.items[i-1].kind == answer {
		return 0
	}
	return 1
}

// rows is the number of rows of an item with its gap.
func (t *Transcript) rows(i int) int {
	return t.gap(i) + len(t.items[i].layout(t.method, t.width))
}

// Window returns the rows in sight, at most height of them, and whether there are
// more below.
func (t *Transcript) Window(height int) (rows []string, below bool) {
	t.height = height
	if height <= 0 || len(t.items) == 0 {
		return nil, false
	}
	from := t.top(height)
	for i := from.item; i < len(t.items); i++ {
		row := 0
		if i == from.item {
			row = from.row
		}
		lines := t.items[i].layout(t.method, t.width)
		for ; row < t.rows(i); row++ {
			if len(rows) == height {
				return rows, true
			}
			if k := row - t.gap(i); k >= 0 {
				rows = append(rows, lines[k])
			} else {
				rows = append(rows, "")
			}
		}
	}
	return rows, false
}

// top is the first row in sight. A window whose end has come into sight follows
// the end from then on.
func (t *Transcript) top(height int) place {
	last := t.fromEnd(height)
	if t.anchor == nil {
		return last
	}
	a := *t.anchor
	if a.item >= len(t.items) || after(a, last) {
		t.anchor = nil
		return last
	}
	a.row = min(a.row, t.rows(a.item)-1) // the width may have changed
	return a
}

func after(a, b place) bool {
	return a.item > b.item || a.item == b.item && a.row >= b.row
}

// fromEnd is the place n rows before the end, or the beginning.
func (t *Transcript) fromEnd(n int) place {
	return t.back(place{len(t.items), 0}, n)
}

// back is the place n rows before p, or the beginning.
func (t *Transcript) back(p place, n int) place {
	for n > p.row {
		if p.item == 0 {
			return place{}
		}
		n -= p.row
		p.item--
		p.row = t.rows(p.item)
	}
	p.row -= n
	return p
}

// forward is the place n rows behind p, at most the end.
func (t *Transcript) forward(p place, n int) place {
	for p.item < len(t.items) && n >= t.rows(p.item)-p.row {
		n -= t.rows(p.item) - p.row
		p = place{p.item + 1, 0}
	}
	if p.item < len(t.items) {
		p.row += n
	}
	return p
}

// Scroll moves the window n rows down, or up where n is negative.
func (t *Transcript) Scroll(n int) {
	if len(t.items) == 0 {
		return
	}
	from := t.top(t.height)
	if n < 0 {
		from = t.back(from, -n)
	} else {
		from = t.forward(from, n)
	}
	t.anchor = &from
	t.top(t.height)
}

// Page scrolls by n windows, keeping a row in sight.
func (t *Transcript) Page(n int) { t.Scroll(n * max(1, t.height-1)) }

// ToStart shows the beginning.
func (t *Transcript) ToStart() {
	t.anchor = &place{}
}

// ToEnd shows the end, and follows it.
func (t *Transcript) ToEnd() { t.anchor = nil }

// Below is the number of rows out of sight below the window.
func (t *Transcript) Below() int {
	if t.anchor == nil || len(t.items) == 0 {
		return 0
	}
	p := t.forward(t.top(t.height), t.height)
	if p.item >= len(t.items) {
		return 0
	}
	n := -p.row
	for i := p.item; i < len(t.items); i++ {
		n += t.rows(i)
	}
	return n
}

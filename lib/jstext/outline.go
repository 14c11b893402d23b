package jstext

// bracket is one array or object of a text, in the order in which they open.
type bracket struct {
	end  int // the index behind its closing bracket
	next int // how many brackets open before that
}

// outline finds where each bracket of a checked text closes, in one pass.
func outline(s string) []bracket {
	all := make([]bracket, 0, 16)
	open := make([]int, 0, 32)
	for i := 0; i < len(s); {
		switch s[i] {
		case '"':
			i = closeQuote(s, i)
			continue
		case '{', '[':
			open = append(open, len(all))
			all = append(all, bracket{})
		case '}', ']':
			last := len(open) - 1
			all[open[last]] = bracket{i + 1, len(all)}
			open = open[:last]
		}
		i++
	}
	return all
}

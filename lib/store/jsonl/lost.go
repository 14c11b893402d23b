package jsonl

import "fmt"

// Lost are the notes of a reading that left out a torn tail of so many bytes, or
// passed over so many damaged records: none where nothing was lost.
func Lost(torn, damaged int64) (notes []string) {
	if torn > 0 {
		notes = append(notes, fmt.Sprintf("torn tail: the last %s are no complete record yet and were left out", count(torn, "byte")))
	}
	if damaged > 0 {
		notes = append(notes, count(damaged, "damaged record")+" passed over")
	}
	return notes
}

// LostOf are the notes of what was lost in s, and in the files that the conversation of
// s begins with. Of those only s has a tail that is still being written.
func LostOf(s *Source, before ...*Source) []string {
	damaged, nuls := s.Damaged-s.nulRuns, s.NULs
	for _, b := range before {
		damaged += b.Damaged - b.nulRuns
		nuls += b.NULs
	}
	notes := Lost(s.Torn, damaged)
	if nuls > 0 {
		notes = append(notes, count(nuls, "NUL byte")+" passed over: they stand where something was to be written when the machine stopped")
	}
	return notes
}

func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

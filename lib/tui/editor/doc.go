// Package editor is the text a person is writing: several lines of grapheme
// clusters and mention chips, a cursor between two of them, undo, and how all of
// it is laid out in rows of cells.
//
// A chip stands for a whole mention, @[label](dsh-session:…): it is shown as
// @label, the cursor never stands inside it, and one deletion removes it. Text
// keeps every byte that was put in (as UTF-8; line ends become \n), but what is
// shown of a control or formatting character is its escape.
//
// Nothing here draws, reads keys or does I/O. An Editor is used by one goroutine.
package editor

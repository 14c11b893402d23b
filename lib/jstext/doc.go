// Package jstext holds JavaScript's strings and JSON texts in Go without loss.
//
// A JavaScript string is a sequence of UTF-16 code units and may hold half of a
// surrogate pair. Here such a string is a Go string in WTF-8: UTF-8, except that
// a lone surrogate takes three bytes. Every JavaScript string has exactly one
// WTF-8 form, so == on Go strings is === on JavaScript's.
//
// JSON is read as JSON.parse reads it (the grammar exactly, the last of
// duplicate keys wins) and written as JSON.stringify writes it. Two differences
// from JSON.parse are deliberate: numbers keep their digits where a double could
// not hold them, and nesting deeper than MaxDepth is an error.
//
// encoding/json is not used on any path, because it turns lone surrogates into
// U+FFFD and escapes <, >, & and U+2028. Nothing here keeps state; all functions
// may be called at the same time.
//
// Rules: SPEC 2; ECMA-262, JSON.parse and JSON.stringify.
package jstext

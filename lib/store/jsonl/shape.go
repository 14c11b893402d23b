package jsonl

// Shape names the parts of a record that are kept. Each key is a member that a
// reader wants, with the shape of what it holds; members without a key are let
// go. A nil Shape keeps everything beneath. An array is kept with every element,
// each pruned by the array's own shape; strings, numbers and literals are kept
// whole wherever they are reached.
//
//	Shape{"type": nil, "message": {"content": {"type": nil, "text": nil}}}
//
// keeps a content that is a string, and of one that is an array of blocks their
// types and texts. Keys are compared after their escapes are decoded.
type Shape map[string]Shape

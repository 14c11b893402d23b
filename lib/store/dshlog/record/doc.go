// Package record reads single lines of a dsh log: the header, events and packed
// rows, in formats 0 to 4. It knows nothing of files, and of the lines around a
// line nothing but what their shapes have taught it.
//
// Nearly all lines of a log are chunk events that no surface holds. Reader.Pass
// goes over those at the speed of a comparison: it knows the shapes of lines that
// were read in full, with holes for seq, time and one string, and a line that has
// such a shape is what reading it in full would have found, seq and all. Every
// other line goes through Reader.Read. Neither trusts a line because of how it
// begins: what is passed over has been checked to its last byte.
//
// What is not checked, by this or any reading: the data of records that are not on
// the surface, beyond being JSON (and, for packed rows, keeping their rules).
//
// Rules: FORMATS-dsh, Bytes and Records; vectors/scan-log and vectors/chunk-rows.
package record

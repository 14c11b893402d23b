// Package chunkrow reads and writes packed rows: one stored record that stands
// for several streamed chunk events of formats 0 and 1.
//
//	{"type":"text-chunks","seq0":6,"time0":5,"data":{"turn":1,"step":1,"index":0,"dt":[1,2],"texts":["a","b","c"]}}
//
// is three assistant/chunk events with the seqs 6, 7, 8 and the times 5, 6, 8.
// reasoning-chunks has the same shape; tool-call-chunks has id, name (or none) and
// args in place of texts.
//
// A row is taken whole or not at all: any key, type or sum that is out of place
// is an error with the machine name of the rule it breaks. Nothing here keeps
// state; all functions may be called at the same time.
//
// Rules: FORMATS-dsh, Records; vectors/chunk-rows.
package chunkrow

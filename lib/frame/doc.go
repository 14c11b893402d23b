// Package frame owns the text that stands around snapshots of other sessions: the
// heading, the warning in every wording it ever had, the tags, and the delimiter
// between a block and what the user asks (SPEC 6, SPEC 7).
//
//	## Referenced sessions
//
//	<a wording>
//
//	<referenced-sessions>
//	[{…},{…}]
//	</referenced-sessions>
//
//	## My request:
//	<the request>
//
// A host that is given such a prompt as text keeps it as the user's own words. So
// the package also tells the two apart again. A frame is recognised exactly or not
// at all: at the very beginning of a text, with a wording of the table, and around
// JSON that is what a writer of snapshots writes, byte for byte. A text that only
// looks like one is somebody's own, and stays whole.
//
// All functions take time linear in their input.
package frame

// Package sessionuri owns the names of sessions in text: the dsh-session: URI,
// the mention @[label](uri), and finding both in a message.
//
// A URI is "dsh-session:" and the base64url form, without padding, of the UTF-8
// bytes of JSON.stringify(id). Any JavaScript string is an id, lone surrogates,
// newlines and the empty string included; each has exactly one URI, and Decode
// accepts no other spelling of it. Ids, labels and texts are WTF-8 (lib/jstext).
//
// The package knows no store: that an id decodes says nothing about whether such
// a session exists. All functions take time linear in their input, whatever it
// holds. Errors are *fault.Error of kind Reference.
//
// Rules: SPEC 3. The grammar is JavaScript's where the two could differ: white
// space is \s of a regular expression (U+00A0, U+FEFF and U+2028 are, U+0085 and
// U+200B are not), and the four line terminators cannot follow a backslash.
package sessionuri

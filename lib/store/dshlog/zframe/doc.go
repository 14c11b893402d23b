// Package zframe splits a file of concatenated zstd frames into its frames, so
// that they can be decoded in parallel, and decodes one at a time.
//
// The split walks frame and block headers and decodes nothing, so a frame is
// known to be whole before its first byte is decompressed. Three things can be
// found: whole frames, a last frame that the file ends in (torn: its writer is
// not done, or died), and bytes that are no frame (bad). After a bad place the
// split goes on at the next frame, because what stands behind it decides whether
// the damage lies in a committed part of a log.
//
// No size that a file claims leads to an allocation of that size: frames are
// decoded into the room the caller has, or piece by piece.
//
// Sources: RFC 8878, Zstandard Compression; FORMATS-dsh, Bytes.
package zframe

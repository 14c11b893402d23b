package scan

// SetPieceSize makes raw logs be cut into pieces of n bytes, looked through by
// several goroutines however small they are, until the returned function is called.
func SetPieceSize(n int64) (reset func()) {
	piece, tiny := pieceSize, small
	pieceSize, small = n, 0
	return func() { pieceSize, small = piece, tiny }
}

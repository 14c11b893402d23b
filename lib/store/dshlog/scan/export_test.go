package scan

// SetPieceSize makes raw logs be cut into pieces of n bytes, looked through by
// several goroutines however small they are, until the returned function is called.
func SetPieceSize(n int64) (reset func()) {
	piece, tiny := pieceSize, small
	pieceSize, small = n, 0
	return func() { pieceSize, small = piece, tiny }
}

// SetMaxPending makes no more than n bytes of an unfinished line be held, until the
// returned function is called.
func SetMaxPending(n int64) (reset func()) {
	old := maxPending
	maxPending = n
	return func() { maxPending = old }
}

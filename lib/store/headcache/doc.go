// Package headcache keeps what was learnt of files by reading them, so that the
// next program that lists thousands need not open one of them.
//
// A fact is kept under the file's path, size, modification and change times and
// inode, and is found again only when all of them are still the same. The times of
// a file system are coarse: a file may change twice in one tick. So, as git does
// for its index, a fact is believed by other programs only if the file had been at
// rest for a while when it was learnt, by the clock of the file system itself.
//
// One cache is one file for one store's root. It is read once, whole, with a
// checksum over all of it; what does not check is as if it were not there. It is
// replaced atomically; of two programs that write it at the same time one wins, and
// the other's facts are learnt again. Deleting it costs nothing but time.
package headcache

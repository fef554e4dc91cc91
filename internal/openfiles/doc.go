// Package openfiles finds out that files which a process has open were removed or replaced.
//
// On Unix a process goes on writing to such a file without an error, and all of it is gone with
// the process. On Windows a file that SQLite has open can neither be removed nor replaced, so
// nothing is ever found there.
//
// It is a package of its own because the trail's store and the ledger's both need it, and neither may
// import the other.
package openfiles

// Package damage searches a log in which records are damaged: one that cannot be read must not hide all others. It
// yields an Error in the place of such a record, and goes on.
//
// The content of a record may be damaged while its summary is sound. Then the flaw has the record without content. Where
// the summary itself cannot be read, nobody knows whose record it is, and the flaw is a range of the log.
//
// It is a package of its own because lists and counts must find the same flaws.
package damage

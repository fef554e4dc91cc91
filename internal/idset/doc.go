// Package idset is a set of small numbers, one bit for each.
//
// It is a package of its own because wsfev1, which has sets of most of its tables, is public and as large
// as a package may be.
package idset

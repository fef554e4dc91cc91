// Package idset is a set of small numbers, one bit for each.
package idset

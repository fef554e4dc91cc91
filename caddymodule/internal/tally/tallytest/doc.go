// Package tallytest writes random trails, and counts them by looking at every record, so that tests can compare what
// package tally counts, and what pages show of it, with that.
package tallytest

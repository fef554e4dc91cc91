// Package testrun is how the tests of a package run: where their files are, how many wait
// at a time, how long a campaign lasts, what is said of failures in the end. Only tests import it.
package testrun

// Package testrun sets how the tests of a package run: where their files are, how many wait at a
// time, which ports they listen on, how long a campaign lasts, how much of a processor they have had, how the summary
// of failures reads. Only tests import it.
package testrun

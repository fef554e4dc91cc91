// Package outcome is the vocabulary for the result of an exchange: its outcome, the gateway's
// decision about it, and the class of a failure. Each is a finite list of words, which
// records, metrics, log fields and searches share.
//
// The package derives the outcome from an answer's status and verdict. It knows neither the
// exchange nor any store.
package outcome

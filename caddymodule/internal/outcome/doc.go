// Package outcome derives the words for the result of an exchange (audit.Outcome, audit.Failure) from the
// status and the verdict of an answer, and says what an answer proves about a request that changes
// something. It knows neither the exchange nor any store.
package outcome

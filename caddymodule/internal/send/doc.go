// Package send hands a request to the next handler and reads what comes of it.
//
// Do builds the request that the service gets, calls the next handler, captures the answer, and says how
// certain its fate is: answered, not_sent, unknown. It reads the answer into its typed form, holds it
// against the request, and says what it proves (package outcome). A keeper's ticket is hidden in the answer
// before anything is made of it.
//
// The package knows neither the series of a request (package once) nor the trail: whether a request may
// still be sent is a function that it is given.
package send

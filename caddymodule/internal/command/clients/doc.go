// Package clientscmd has the commands about clients and readers: which there are in a configuration, what each of
// them may send, and which there were when, as the trail shows it.
//
// Whether a request is allowed is package clients' word alone. check asks it about a request that it makes, and
// adds to a row until the answer is yes: so it says what the row lacks without knowing the rights itself.
package clientscmd

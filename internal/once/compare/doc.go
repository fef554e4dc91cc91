// Package compare tells whether an invoice that the service has is the one that was sent. Two errors are possible, and
// each is an invoice too many: another program's is taken for the one that was sent, or the one that was sent for
// another's, and its issuer numbers it anew.
//
// A sent lot and the service's answer go in, the differences come out (Invoice); none means that they are the same
// invoice. Where only the numbers of the sent one are left, these are compared (Numbers). The rows of echoes say, for
// each member, in which forms the service may give it back, and from where this is known. Nothing fails.
//
// The package knows wsfev1 alone. Package once asks the service and draws the conclusion.
package compare

// Package wsaatest makes what a client of the login service sends, for tests: certificates, and
// signed messages in the forms of the libraries that clients use.
//
// It encodes them by itself, byte by byte: a library would write none of the forms that only
// others write.
package wsaatest

// Package stdlog keeps the answers of services out of the lines of package log.
//
// net/http's Transport logs an answer that nobody has asked for, with its bytes: up to 4 kB, such as the rest of one
// whose Content-Length is too small, or one too many. A Transport has no logger of its own, and Caddy hands the lines of
// package log on to its log. In them would be the contents that the trail masks and encrypts, and a credential that the
// service echoes.
//
// It is a package of its own because it changes a variable of the whole process, which nothing else may do.
package stdlog

// Package stdlog keeps the answers of services out of what package log writes.
//
// net/http's Transport logs what a service sends on a connection without having been asked, with the bytes: up to
// 4 kB of an answer, such as the rest of one whose Content-Length is too small, or one too many. A Transport has no
// logger of its own, and Caddy hands the lines of package log on to its log. In them would be what the trail
// masks and encrypts, and a credential that the service echoes.
package stdlog

// Package login is the handler wsfev1_wsaa: a login service for development and tests, in front of
// the built-in service.
//
// It answers at the path of WSAA alone and hands every other request on. Its key and what it
// remembers of logins live in a pool and outlive configurations; the key is kept in a file. The
// handlers of one configuration share one key, with which wsfev1_backend verifies strict tickets.
package login

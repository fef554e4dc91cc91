// Package ticket puts an access ticket into the bytes of a request in SOAP, and leaves all other bytes
// as the client has written them.
package ticket

// Package client logs in at WSAA: it makes a request for a ticket, has the credential sign it, sends
// it, and reads the ticket or the fault.
//
// A Client does no I/O of its own. Post sends a message, and is the caller's: package overhttp has one. It
// is told the address, and returns status, header Date and body. One Login is one message: a Client repeats
// nothing, and keeps nothing. What to do after a failure is the Advice in its Error.
//
// Each answer shows how far the clock of the authority is ahead of ours (Result.Skew). Times of
// requests are corrected by the caller's last measurement. A clock that is wrong by more than
// ten minutes makes the first login fail, and no other.
//
// An answer is read as a stranger's: bounded in size and depth, without document types, and no part
// of it reaches an error but a short printable text without anything that may be a credential.
package client

// Package keeper keeps an access ticket of WSAA at hand, for gateways whose clients bring none.
//
// A Keeper has one certificate, one service, and the CUITs for which it gives the ticket away. Its
// goroutine, from Start to Close, does all logins:
//
//  1. From half of a ticket's life on it looks for a newer one in the Store, which nodes share.
//  2. If there is none it takes the lease of the ticket, so that one login runs at a time over
//     all nodes, and looks again.
//  3. It logs in, saves the ticket sealed, and returns the lease.
//
// Ticket gives the ticket until ten minutes before its end, without waiting and without a lock. With
// none at hand it waits for the login under way. After a failure it returns at once why, and when the
// next attempt is.
//
// A failure decides the pause before the next attempt (client.Advice). Faults are saved too: after the
// authority has refused one node, no other node asks in the pause, nor the same one after a restart.
// LogIn ends a pause when a person asks, except for the authority's own limits; where nodes share a
// Store, one LogIn is enough. While a node pauses without a ticket it looks into the store for one of
// another node.
//
// Times are compared by the authority's clock: each login measures how far it is ahead. A Set gives
// each CUIT to the Keeper of its certificate.
//
// Token and Sign are in memory, in the caller's answers and, sealed, in the Store. No error, Event
// or Snapshot has them.
package keeper

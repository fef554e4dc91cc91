// Package lease admits this process to what other processes may use too, under a name: one turn of one of them at a
// time. The leases are in the store that the processes share (audit.Leases).
//
// A turn has a Holder of its own (Manager.Next). It takes the lease before it does anything (Take, after Await where
// another process has it), or in the commit of its intent, and then says so (Took). Holds reports whether it still has
// the lease; that must be asked again as long as sending can be stopped. The outcome's commit returns the lease (Drop),
// or the manager returns it in the background (GiveBack). Meanwhile the manager extends what takes long. Take returns
// ErrHeld, the context's errors and the store's; no other method fails, and the store's errors in the background are
// reported.
//
// What holds across the loss of a lease: an intent is durable before anything is sent, and a process that takes a name
// over settles the open intents first (package once). So a holder that was cut off, or stood still for longer than its
// lease, can at worst send a request that the next holder finds.
//
// The package knows audit, and nothing of requests: names are whatever the processes agree on.
package lease

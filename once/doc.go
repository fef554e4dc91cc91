// Package once makes sure that nothing is issued twice and no answer is lost. It knows
// neither Caddy nor HTTP: what it needs is a Journal, which remembers, and a Service,
// which can be asked.
//
// The way of a request that changes something (Keeper.Enter):
//
//  1. Requests of one Lane, which is mostly a series (issuer, point of sale, type of
//     voucher), pass one after the other, in the order of their arrival. A request that
//     is the same as one in the lane waits for that one's result and shares it; one with
//     the same numbers and another content is a conflict.
//  2. Who has the turn first settles what is open in the lane: intents that a crash or
//     a silent service left without a certain outcome. Nothing new is sent in a lane
//     with something open.
//  3. What was approved before is answered again from the journal.
//  4. Only now may the caller send. He leaves the lane with the result (Turn.Leave); if
//     that is unknown, he asks first (Turn.Recover), and what cannot be found out within
//     the time that he has goes on in the background (background.go).
//
// Several processes may share a journal (gate.go): a lane then belongs to one of them at a
// time, by a lease, and who takes it over asks the journal, in which all logs are, before
// he sends anything. What another process has left open he settles himself.
//
// Nothing in here ever sends a request that changes something.
package once

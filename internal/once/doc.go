// Package once makes sure that nothing is issued twice and no answer is lost. It knows
// neither Caddy nor HTTP: it needs a Journal, which remembers, and a Service, which can be
// asked. It never sends a request that changes something. The page is docs/exactly-once.md.
//
// The packages below this folder do a part of it each. Package journal keeps a Journal in an audit trail. Package
// canonical writes the text of which fingerprints are made, package lease admits one of several processes to a queue,
// and package compare holds an invoice of the service against the one that was sent.
//
// A Coordinator owns the queues of one trail, from New to Close. A request that changes something
// takes these steps (Coordinator.Enter):
//
//  1. Requests with one OrderingKey, mostly a series (issuer, point of sale, type of
//     voucher), pass one after the other in the order of their arrival. A repeat of a queued
//     request waits for its result and shares it. The same numbers with another content
//     are a conflict.
//  2. The request that has the turn first settles the open intents of the queue: intents that
//     a crash or a silent service left without a certain outcome. Nothing new is sent while
//     something is open.
//  3. What was approved before is answered again from the journal. A request is known by the
//     fingerprints of what came and of what was sent, in each form that the store may have (package canonical).
//  4. Only now may the caller send. It ends the turn with the result (Turn.Leave). If the
//     outcome is unknown it asks first (Turn.Recover); what cannot be found out in time goes
//     on in the background.
//
// Several processes may share a journal. A queue then belongs to one turn of one of them at a time, by a
// lease (package lease) that the intent takes and the outcome returns, each in the commit that makes it
// durable. A request whose number follows the last one takes its turn without asking anybody; the commit
// of its intent fails if another process has the queue, or has issued in it (Turn.Commit). Any other
// request takes the lease first. Where what came before is not settled, it asks the journal, which holds all logs, and
// settles what another process has left open before it sends anything.
package once

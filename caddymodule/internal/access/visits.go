package access

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/internal/limit"
)

const (
	// maxInside bounds the requests of all clients in the gateway. It is never reached: memory is bounded
	// by max_bodies.
	maxInside = 1 << 20
	// insideByShare: a client has so many requests in the gateway for each of its share: one at the service, and
	// another one that is ready to be sent.
	insideByShare = 2
	// recordEvery is the pause between two records of requests of a client that came too soon.
	recordEvery = time.Second
)

// visits are the requests of one client.
type visits struct {
	bucket *limit.Bucket
	counts *counts
	// recorded is when a request that came too soon was last recorded, in nanoseconds since 1970.
	recorded atomic.Int64
}

// use judges by a table from now on. Clients whose rate stays keep their tokens.
func (a *Access) use(table *clients.Table, record string) {
	next := &state{table, record, map[*clients.Client]*visits{}}
	before := map[string]*clients.Client{}
	last := a.current.Load()
	if last != nil {
		for client := range last.visits {
			before[client.Name] = client
		}
	}
	issuing, others, inside := map[string]limit.Share{}, map[string]limit.Share{}, map[string]limit.Share{}
	known := table.Clients()
	for _, client := range known {
		v := &visits{counts: countsOf(client.Name)}
		v.counts.expect(possible(client.Row), len(known) <= maxFromStart)
		if old := before[client.Name]; old != nil && old.Rate == client.Rate && old.Burst == client.Burst {
			v.bucket = last.visits[old].bucket
		} else {
			v.bucket = limit.NewBucket(client.Rate, client.Burst)
		}
		next.visits[client] = v
		issuing[client.Name] = limit.Share{Slots: client.Share}
		others[client.Name] = limit.Share{}
		inside[client.Name] = limit.Share{Slots: insideByShare * client.Share}
	}
	if a.Enforced() { // readers alone change nothing about slots
		a.inside.Divide(inside)
		a.slots.Issuing.Divide(issuing)
		for _, slots := range slices.Concat(a.slots.Others, a.slots.Memory) {
			slots.Divide(others)
		}
	}
	a.current.Store(next)
}

// Admit implements intake.Clients.
func (a *Access) Admit(ctx context.Context, client *clients.Client, now time.Time, patience time.Duration) (leave func(), refused *intake.Crowding) {
	v := a.current.Load().visits[client]
	if v == nil { // the table has changed in this moment: the client is judged by the one before
		v = &visits{counts: countsOf(client.Name)}
	}
	if wait, ok := v.bucket.Take(now); !ok {
		last := v.recorded.Load()
		recorded := now.UnixNano()-last >= int64(recordEvery) && v.recorded.CompareAndSwap(last, now.UnixNano())
		return nil, &intake.Crowding{Wait: wait, Unrecorded: !recorded}
	}
	leave, err := a.inside.EnterAs(ctx, client.Name, patience)
	if err != nil {
		return nil, &intake.Crowding{Err: err}
	}
	return leave, nil
}

// Count implements intake.Clients.
func (a *Access) Count(client *clients.Client, result string) {
	if client == nil {
		unknownSenders.Add(1)
		return
	}
	if v := a.current.Load().visits[client]; v != nil {
		v.counts.add(result)
	} else {
		countsOf(client.Name).add(result)
	}
}

package tally

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// reasoned are the outcomes of a request that was turned down. The reason may stand in the answer alone.
var reasoned = []audit.Outcome{
	audit.OutcomeRejected, audit.OutcomePartial, audit.OutcomeUpstreamError, audit.OutcomeRefused, audit.OutcomeMalformed, audit.OutcomeInadmissible,
	audit.OutcomeNotSent, audit.OutcomeUnknown, audit.OutcomeConflict, audit.OutcomeBusy, audit.OutcomeUnsettled, audit.OutcomeOutage,
}

// byService are those of them with which the service has answered. The gateway turns down all others.
var byService = []audit.Outcome{audit.OutcomeRejected, audit.OutcomePartial, audit.OutcomeUpstreamError}

// cause counts the requests that were turned down for one reason.
type cause struct {
	service, gateway int
	first            time.Time
	newest           Found
	// clients counts them by client.
	clients map[string]int
}

// maxClients is how many clients of one reason are told apart, and maxName how much of a name is kept, in bytes.
const maxClients, maxName = 1000, 128

// cause counts a request under each of its reasons.
func (d *Day) cause(one *issuer, r *audit.Record, reasons []Reason, at time.Time) {
	by := Found{d.placeOf(story.Place{Log: r.Log, Index: r.Index}), at}
	service := slices.Contains(byService, r.Outcome) && len(findingsOf(r)) == 0
	for _, why := range reasons {
		code := d.word(cut(why.Code))
		of := one.causes[code]
		if of == nil {
			if !d.keep(1) {
				return
			}
			of = &cause{first: at, newest: by, clients: map[string]int{}}
			one.causes[code] = of
		}
		if service {
			of.service++
		} else {
			of.gateway++
		}
		if at.Before(of.first) {
			of.first = at
		}
		if compareFound(by, of.newest) > 0 {
			of.newest = by
		}
		client := d.word(cut(cmp.Or(r.ClientIdentity, r.ClientRow, r.ClientAddress)))
		if _, known := of.clients[client]; client != "" && (known || len(of.clients) < maxClients && d.keep(1)) {
			of.clients[client]++
		}
	}
}

func cut(text string) string { return text[:min(len(text), maxName)] }

// addFlaw counts records that cannot be read. Of one that has a summary it is known whose it is.
func (d *Day) addFlaw(flaw *damage.Error) {
	cuit, at := wsfev1.CUIT(0), time.Time{}
	if flaw.Record != nil {
		cuit, at = flaw.Record.Cuit, flaw.Record.Time
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	place := story.Place{Log: d.word(flaw.Log), Index: flaw.Next - 1}
	if _, known := d.flaws[place]; known || !d.keep(1) {
		return
	}
	d.flaws[place] = struct{}{}
	one := d.issuer(cuit)
	one.unreadable.Count += int(flaw.Next - flaw.First)
	one.unreadable.keep(Found{place, at})
}

// IsDamaged reports whether records were met that cannot be read, and that may be of an issuer for whom sees is true: whose
// most of them are, nobody knows.
func (d *Day) IsDamaged(sees func(wsfev1.CUIT) bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for cuit, one := range d.issuers {
		if one.unreadable.Count > 0 && (cuit == 0 || sees(cuit)) {
			return true
		}
	}
	return false
}

// Cause is a reason for which requests were turned down.
type Cause struct {
	Code string
	// Service counts the requests that the service has turned down, Gateway those that the gateway has.
	Service, Gateway int
	// First is when the oldest of them came, and Newest the newest of them.
	First  time.Time
	Newest Found
	// Clients counts them by client: by identity, by the row of the table of clients, or by address. Those without any
	// are not in it. Many: there are more clients than are told apart.
	Clients map[string]int
	Many    bool
}

// Count is how many requests it is.
func (c *Cause) Count() int { return c.Service + c.Gateway }

// CausesOf returns the reasons of several days, the most frequent first, of the issuers for whom sees is true. 0 stands
// for requests that name no issuer.
func CausesOf(days []*Day, sees func(wsfev1.CUIT) bool) (all []*Cause) {
	found := map[string]*Cause{}
	for _, d := range days {
		d.mu.Lock()
		for cuit, one := range d.issuers {
			if !sees(cuit) {
				continue
			}
			for code, of := range one.causes {
				at := found[code]
				if at == nil {
					at = &Cause{Code: code, First: of.first, Newest: of.newest.in(d.Mark), Clients: map[string]int{}}
					found[code] = at
				}
				at.add(of, d.Mark)
			}
		}
		d.mu.Unlock()
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *Cause) int {
		return cmp.Or(cmp.Compare(b.Count(), a.Count()), cmp.Compare(a.Code, b.Code))
	})
}

func (c *Cause) add(of *cause, mark string) {
	c.Service, c.Gateway = c.Service+of.service, c.Gateway+of.gateway
	if of.first.Before(c.First) {
		c.First = of.first
	}
	if newest := of.newest.in(mark); compareFound(newest, c.Newest) > 0 {
		c.Newest = newest
	}
	for client, n := range of.clients {
		c.Clients[client] += n
	}
	c.Many = c.Many || len(of.clients) >= maxClients
}

package keeper

import (
	"slices"
	"time"

	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// margin is how long before its end a ticket is not used any more: a request may be on its way
	// for a while, and the service compares to the second.
	margin = 10 * time.Minute
	// marginShare is the largest part of a ticket's life that the margin may be.
	marginShare = 6
	// longestHalf bounds how long a ticket is kept that lives longer than the authority's.
	longestHalf = 12 * time.Hour
	// largestSpread bounds by how much the renewals of the nodes differ, and spreadShare is which part
	// of the life it is.
	largestSpread = 5 * time.Minute
	spreadShare   = 24
	// relationPause is after how long a ticket is renewed that does not act for a configured CUIT:
	// delegations count from the next login on.
	relationPause = time.Hour
)

// heldTicket is a ticket with what was found out about it. It does not change.
type heldTicket struct {
	ticket *client.Ticket
	// until is when it is not used any more, due when a newer one is sought: by the authority's clock.
	until, due time.Time
	// untilNano is until in nanoseconds since 1970. fromNano is when a ticket that the service has refused is
	// given again, and refusals how often it has refused it.
	untilNano, fromNano int64
	refusals            int
	// missing are the configured CUITs for which it does not act.
	missing []wsfev1.CUIT
}

// hold returns a ticket as it is kept.
func (k *Keeper) hold(ticket *client.Ticket) *heldTicket {
	h := &heldTicket{ticket: ticket}
	life := ticket.Expiration.Sub(ticket.Generation)
	last := life - min(margin, life/marginShare)
	h.until = ticket.Generation.Add(last)
	h.untilNano = h.until.UnixNano()
	wait := min(life/2, longestHalf)
	if ticket.Known {
		acts := make(map[wsfev1.CUIT]bool, len(ticket.Relations))
		for _, cuit := range ticket.Relations {
			acts[cuit] = true
		}
		for _, cuit := range k.config.CUITs {
			if !acts[cuit] {
				h.missing = append(h.missing, cuit)
				wait = min(wait, relationPause)
			}
		}
	}
	// The login service gives no other ticket before the window has passed.
	wait = max(wait, min(k.config.Window, last))
	spread := min(largestSpread, life/spreadShare)
	h.due = ticket.Generation.Add(wait + time.Duration(k.config.Random()*float64(spread)))
	return h
}

// usableAt reports whether the ticket is used at a moment of the authority's clock. It counts in
// nanoseconds, as it is in the way of each request.
func (h *heldTicket) usableAt(nano int64) bool { return h.fromNano <= nano && nano < h.untilNano }

// aside returns the ticket after the service has refused it at a moment. It is given again after a pause, which
// doubles: one server of the service, or a proxy, may have been wrong, and there may be no other ticket for
// minutes. A newer one is sought at once.
func (h *heldTicket) aside(now time.Time) *heldTicket {
	refused := *h
	refused.refusals++
	refused.fromNano = now.Add(doubled(askedPause, refused.refusals, shortestPause)).UnixNano()
	refused.due = now
	return &refused
}

// of returns the ticket, if it acts for a CUIT.
func (h *heldTicket) of(k *Keeper, cuit wsfev1.CUIT) (*client.Ticket, error) {
	if len(h.missing) > 0 && slices.Contains(h.missing, cuit) {
		return nil, &NotRepresentedError{CUIT: cuit, Certificate: k.config.Credential.Identity(), Service: k.config.Service}
	}
	return h.ticket, nil
}

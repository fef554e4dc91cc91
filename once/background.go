package once

import (
	"errors"
	"time"

	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// access is the newest service that can be asked for an issuer, and its policy.
type access struct {
	service Service
	terms   Terms
}

// taskSettle names the task in the report of a panic.
const taskSettle = "settling what is open"

// Pauses between two attempts in the background.
const (
	firstRest   = time.Second
	longestRest = time.Minute
)

// Meet offers a service that can be asked for an issuer, with credentials that it has
// accepted. What is open in the issuer's queues is settled with it in the background. Where
// nothing is open, the service is not kept.
func (k *Keeper) Meet(cuit wsfev1.CUIT, service Service, terms Terms) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.unsettled[cuit]) == 0 || k.closed {
		return
	}
	k.services[cuit] = &access{service, terms}
	for l := range k.unsettled[cuit] {
		k.tend(l)
	}
}

// Needs reports whether something is open for an issuer, so that Meet is of use. A newer
// service replaces an older one, whose configuration may be gone.
func (k *Keeper) Needs(cuit wsfev1.CUIT) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.unsettled[cuit]) > 0
}

// assess updates whether something is open in a queue. Where nothing is open for an issuer
// any more, its credentials are dropped. The caller holds mu.
func (k *Keeper) assess(l *lane) {
	cuit := l.name.Cuit
	if l.unsettled() {
		if k.unsettled[cuit] == nil {
			k.unsettled[cuit] = map[*lane]struct{}{}
		}
		k.unsettled[cuit][l] = struct{}{}
		return
	}
	delete(k.unsettled[cuit], l)
	if len(k.unsettled[cuit]) == 0 {
		delete(k.unsettled, cuit)
		delete(k.services, cuit)
	}
}

// Suspect marks queues in which the journal has, or may have, something open.
func (k *Keeper) Suspect(lanes []Lane) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range lanes {
		l := k.lane(name)
		if !l.recalled || k.settings.Gate != nil { // another process may have left something
			l.suspect = true
		}
		k.assess(l)
		k.tend(l)
	}
}

// Unsettled reports whether a queue has, or may have, something open. The service is asked
// about it before anything new is sent.
func (k *Keeper) Unsettled(lane Lane) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.lanes[lane]
	return ok && l.unsettled()
}

// Counts is the number of requests in each state.
type Counts struct {
	// Waiting requests wait for their turn: for others of their queue, or for another
	// process that holds it.
	Waiting int
	// Unknown requests have an unknown outcome: from the first question about one until
	// its settlement is written. A queue of which the journal has, or may have, something
	// open counts as one until it is looked at.
	Unknown int
}

// Counts counts the requests that wait or are unsettled.
func (k *Keeper) Counts() (c Counts) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.lanes {
		c.Unknown += len(l.open)
		if l.suspect && len(l.open) == 0 {
			c.Unknown++
		}
		for i, f := range l.flights {
			if f.request.Operation == nil { // one that only settles
				continue
			}
			if f.recovering {
				c.Unknown++
			}
			if i > 0 || l.passing {
				c.Waiting++
			}
		}
	}
	return c
}

// tend starts a goroutine that settles what is open in the queue, unless one runs already
// or there is no service to ask. The caller holds mu.
func (k *Keeper) tend(l *lane) {
	if l.tended || k.closed || !l.unsettled() || k.services[l.name.Cuit] == nil {
		return
	}
	l.tended = true
	panics.Go(&k.tending, taskSettle, func() { k.look(l) })
}

// look settles a queue in the background until nothing is open in it, no service can be
// asked any more, or the keeper is closed.
func (k *Keeper) look(l *lane) {
	for rest := firstRest; ; rest = min(2*rest, longestRest) {
		if k.attempt(l) || k.settings.Wait(k.life, rest) != nil {
			return
		}
	}
}

// attempt settles the queue, and reports whether to stop. It takes its turn like a
// request: nothing is sent meanwhile.
//
// A panic is a failed attempt: what is open stays open, which keeps the series closed, and
// the next attempt comes after a pause.
func (k *Keeper) attempt(l *lane) (stop bool) {
	defer panics.Catch(taskSettle, nil)
	k.mu.Lock()
	known := k.services[l.name.Cuit]
	if known == nil || k.closed || !l.unsettled() {
		l.tended = false
		k.mu.Unlock()
		return true
	}
	f := l.queue(&Request{})
	k.mu.Unlock()
	turn := &Turn{keeper: k, lane: l, flight: f, service: known.service}
	defer turn.Leave(Result{State: NotSent})
	select {
	case <-f.turn:
	case <-k.life.Done():
		return false
	}
	if gate := k.settings.Gate; gate != nil {
		k.forgetLane(l)
		if _, err := gate.enter(k.life, l.name); err != nil {
			return false // another process holds it, and settles it
		}
	}
	err := k.complete(k.life, &known.terms)
	if err == nil {
		err = k.recall(k.life, l)
	}
	if err == nil {
		err = k.settleOpen(k.life, l, known.service, &known.terms, 0) // requests wait for the turn
	}
	if refused(err) {
		k.forget(l.name.Cuit, known)
	}
	return false // the next look finds what is left
}

// forget drops credentials that are not accepted any more, unless there are newer ones.
func (k *Keeper) forget(cuit wsfev1.CUIT, known *access) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.services[cuit] == known {
		delete(k.services, cuit)
	}
}

func refused(err error) bool {
	var unsettled *UnsettledError
	return errors.As(err, &unsettled) && errors.Is(unsettled.Err, ErrCredentials)
}

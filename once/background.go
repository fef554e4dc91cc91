package once

import (
	"errors"
	"time"

	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// access is the newest service that can be asked for an issuer, and on which terms.
type access struct {
	service Service
	terms   Terms
}

// taskSettle is what a panic is told to have happened in.
const taskSettle = "settling what is open"

// The pauses between two attempts in the background.
const (
	firstRest   = time.Second
	longestRest = time.Minute
)

// Meet takes note of a service that can be asked for an issuer, with credentials that it
// has taken. What is open in his lanes is settled with it, in the background; where
// nothing is, it is not kept.
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

// Needs reports whether something is open for an issuer: then Meet is of use. A newer
// service is better than an older one, whose configuration may be gone.
func (k *Keeper) Needs(cuit wsfev1.CUIT) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.unsettled[cuit]) > 0
}

// assess takes note of whether something is open in a lane. Where nothing is open for an
// issuer any more, his credentials are dropped. The caller holds mu.
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

// Suspect says that the journal has, or may have, something open in these lanes.
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

// Unsettled reports whether a lane has, or may have, something open: it is asked about
// before anything new is sent.
func (k *Keeper) Unsettled(lane Lane) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.lanes[lane]
	return ok && l.unsettled()
}

// Counts are how many requests stand where.
type Counts struct {
	// Waiting are those that wait for their turn: for others of their lane, or for another
	// process that has it.
	Waiting int
	// Unknown are those of which nobody knows what became, from the moment in which the
	// service is asked about one until what it says is written down. A lane of which the
	// journal has, or may have, something open counts as one until it is looked at.
	Unknown int
}

// Counts counts.
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

// tend starts a goroutine that settles what is open in the lane, unless there is one or
// nobody could be asked. The caller holds mu.
func (k *Keeper) tend(l *lane) {
	if l.tended || k.closed || !l.unsettled() || k.services[l.name.Cuit] == nil {
		return
	}
	l.tended = true
	panics.Go(&k.tending, taskSettle, func() { k.look(l) })
}

// look settles a lane in the background until nothing is open in it, nobody can be asked
// any more, or the keeper is closed.
func (k *Keeper) look(l *lane) {
	for rest := firstRest; ; rest = min(2*rest, longestRest) {
		if k.attempt(l) || k.settings.Wait(k.life, rest) != nil {
			return
		}
	}
}

// attempt settles the lane, and reports whether to stop. It takes its turn like a
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
			return false // another process has it, and what is open in it
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
	return false // the next look tells whether there is more to do
}

// forget drops credentials that are not taken any more, unless there are newer ones.
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

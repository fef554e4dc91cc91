package keeper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1"
)

// entryVersion is the version of the form below.
const entryVersion = 1

// entry is the store's entry, before it is sealed. Times are by the authority's clock.
type entry struct {
	Version int `json:"version"`
	// Written is when it was written. Measured: the writer knew the authority's clock.
	Written  time.Time `json:"written"`
	Measured bool      `json:"measured"`
	// Granted is when the last ticket was given, also if it was refused since.
	Granted time.Time `json:"granted,omitzero"`
	// Ticket is nil for none.
	Ticket *entryTicket `json:"ticket,omitempty"`
	// Failure is a fault of the login service after which no node asks before its pause is over.
	Failure *entryFailure `json:"failure,omitempty"`
}

type entryTicket struct {
	Token      wsfev1.Secret `json:"token"`
	Sign       wsfev1.Secret `json:"sign"`
	Generation time.Time     `json:"generation"`
	Expiration time.Time     `json:"expiration"`
	// Certificate describes the certificate of the login: one that was renewed since has another end.
	Certificate string `json:"certificate,omitempty"`
}

type entryFailure struct {
	Code  string    `json:"code"`
	At    time.Time `json:"at"`
	Next  time.Time `json:"next"`
	Count int       `json:"count"`
	// Certificate is the fingerprint of that which was refused: a new one may do better.
	Certificate string `json:"certificate"`
}

// entry returns the entry to save.
func (k *Keeper) entry() *entry {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := &entry{Version: entryVersion, Written: k.now(), Measured: k.measured, Granted: k.granted}
	if h := k.held.Load(); h != nil {
		e.Ticket = &entryTicket{h.ticket.Token, h.ticket.Sign, h.ticket.Generation, h.ticket.Expiration, h.ticket.Certificate}
	}
	if f := k.failure; f != nil && client.Fault(f.Code) != nil {
		e.Failure = &entryFailure{f.Code, f.At, f.Next, f.Count, k.config.Credential.Fingerprint()}
	}
	return e
}

// saveEntry puts the state into the store. The caller has the lease.
func (k *Keeper) saveEntry(ctx context.Context) error {
	text, err := json.Marshal(k.entry())
	if err != nil {
		return fmt.Errorf("encoding a ticket: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return k.config.Store.Save(ctx, k.name, k.holder, k.config.Seal.seal(k.name, text))
}

// save puts the ticket at hand into the store. Where that fails it is good here all the same, and is
// saved later: without it another node, or this one after a restart, would have to wait for the window.
func (k *Keeper) save(ctx context.Context) time.Duration {
	err := k.saveEntry(ctx)
	k.unsaved = err != nil
	if err != nil {
		k.storeFailures++
		k.observe(Event{Kind: StoreFailed, Code: CodeStore, Err: err})
		return k.storePause()
	}
	k.storeFailures = 0
	return k.untilDue()
}

// look takes over the store's entry where it is newer than the state here. The error is the store's.
func (k *Keeper) look() error {
	ctx, cancel := context.WithTimeout(k.hard, storeTimeout)
	defer cancel()
	sealed, err := k.config.Store.Load(ctx, k.name)
	if err != nil {
		return err
	}
	if !k.unsaved {
		k.storeFailures = 0
	}
	k.forgetStoreFailure()
	first := !k.looked
	k.looked = true
	if bytes.Equal(sealed, k.seen) {
		return nil
	}
	k.seen, k.foreign = sealed, false
	if len(sealed) == 0 {
		return nil
	}
	e, err := k.openEntry(sealed)
	if err != nil {
		k.foreign = true // the next ticket replaces it
		k.observe(Event{Kind: StoreFailed, Code: CodeStore, Err: err})
		return nil
	}
	k.learn(e)
	k.adopt(e)
	k.heed(e.Failure, first)
	return nil
}

func (k *Keeper) openEntry(sealed []byte) (*entry, error) {
	text, err := k.config.Seal.open(k.name, sealed)
	if err != nil {
		return nil, err
	}
	e := new(entry)
	if err := json.Unmarshal(text, e); err != nil {
		return nil, errors.New("the ticket in the store cannot be read") // the decoder may quote it
	}
	if e.Version != entryVersion {
		return nil, fmt.Errorf("the ticket in the store has the form %d: this build reads %d", e.Version, entryVersion)
	}
	return e, nil
}

// learn takes from an entry what it shows of the authority's clock: it cannot be earlier than when
// the entry was written. A node that has not logged in itself knows no better.
func (k *Keeper) learn(e *entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ahead := e.Written.Sub(k.now()); e.Measured && !k.measured && ahead > 0 {
		k.skew.Add(int64(ahead))
	}
	k.granted = later(k.granted, e.Granted)
}

// adopt takes the ticket of an entry, if it is newer than the one at hand.
func (k *Keeper) adopt(e *entry) {
	if e.Ticket == nil {
		return
	}
	t := &client.Ticket{
		Token: e.Ticket.Token, Sign: e.Ticket.Sign, Service: k.config.Service,
		Generation: e.Ticket.Generation, Expiration: e.Ticket.Expiration, Certificate: e.Ticket.Certificate,
	}
	if content, ok := wsaa.ReadTicket(t.Token); ok {
		t.Known, t.Relations = true, content.Relations
	}
	k.mu.Lock()
	var paused time.Time // a pause goes on if the ticket is one to be renewed
	if k.failure != nil {
		paused = k.failure.Next
	}
	k.mu.Unlock()
	h := k.held.Load()
	if h != nil && !t.Generation.After(h.ticket.Generation) || !k.hold(t).usableAt(k.now().UnixNano()) {
		return
	}
	k.unsaved = false
	k.install(t, paused, false)
	k.observe(Event{Kind: Adopted})
	k.tellMissing()
}

// heed takes over a pause that another node, or this one before a restart, has begun. A pause that waits
// for a person ends soon after a restart, and sooner with a changed configuration: that person may have
// mended it. A pause that the first look finds began before this Keeper, whatever the clocks say. One that
// was begun before somebody asked for a login does not outlast the limits that LogIn respects.
func (k *Keeper) heed(f *entryFailure, first bool) {
	if f == nil || f.Certificate != k.config.Credential.Fingerprint() {
		return
	}
	err := client.Fault(f.Code)
	if err == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	next, rest := f.Next, shortestPause
	if k.config.Changed {
		rest = askedPause
	}
	before := first || f.At.Before(k.began.Add(time.Duration(k.skew.Load())))
	if err.Advice == client.Stop && before && f.At.Add(rest).Before(next) {
		next = f.At.Add(rest)
	}
	k.floor = later(k.floor, floorAfter(err.Advice, true, f.At, f.Next))
	if soonest := later(k.earliest(), k.asked); !k.asked.IsZero() && !f.At.After(k.asked) && soonest.Before(next) {
		next = soonest
	}
	if !k.now().Before(next) || k.failure != nil && !k.failure.Next.Before(next) {
		return
	}
	if f.At.After(k.asked) { // another node has tried since
		k.asked = time.Time{}
	}
	k.failure = &Failure{Code: f.Code, Err: err, At: f.At, Next: next, Count: f.Count, Shared: true}
	k.tell()
}

package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Clients are the clients of a gateway, of which alone it takes requests (package access).
type Clients interface {
	// Table returns the table that holds now, and the address of its record in the trail.
	Table() (table *clients.Table, record string)
	// Admit admits a request of a client that arrives now. It waits no longer than patience while the client has
	// too many in the gateway. If refused is nil, leave must be called when the exchange has ended.
	Admit(ctx context.Context, client *clients.Client, now time.Time, patience time.Duration) (leave func(), refused *Crowding)
	// Count counts a request of a client by its result: ResultAdmitted, or why it was refused. client is nil for
	// somebody who is none.
	Count(client *clients.Client, result string)
}

// The results of a request of a client, beside the rights that it may lack.
const (
	ResultAdmitted = "admitted"
	ResultRate     = "rate"
	ResultShare    = "share"
	resultNobody   = "nobody"
)

// Crowding says why a client has to wait.
type Crowding struct {
	// Wait is how long it takes until the client's rate allows a request, 0 if it has too many in the gateway,
	// which Err says.
	Wait time.Duration
	Err  error
	// Unrecorded: another refusal like this one was recorded just before.
	Unrecorded bool
}

// Sender is the client whom a request comes from, by the table that held when it came.
type Sender struct {
	// Client is nil for somebody who is no client, and without a table.
	Client *clients.Client
	// Record is the address of the record that has the table, empty without a table.
	Record string

	// Unrecorded: the request is refused as too many, and so was one of the same client just before, which is
	// recorded.
	Unrecorded bool

	// Result is ResultAdmitted, or why the request was refused. It is empty for one that was refused before it was
	// looked at who sends it.
	Result string

	table    *clients.Table
	identity clients.Identity
	// admit is Book.admit for this request.
	admit func(*clients.Client) *binding.Refusal
	leave func()
	// memory is the request's, nil for no bound.
	memory *binding.Reservation
}

// Leave ends the request of a client in the gateway. It may be called more than once, also without a client.
func (s *Sender) Leave() {
	if s != nil && s.leave != nil {
		s.leave()
		s.leave = nil
	}
}

// Name returns the name of the client's row, empty for nobody and without a table.
func (s *Sender) Name() string {
	if s == nil || s.Client == nil {
		return ""
	}
	return s.Client.Name
}

// errNoClient: nothing that was proven leads to a client. Its text has what was proven, for the operator.
func errNoClient(id *clients.Identity, err error) error {
	proven := "nothing was proven"
	for _, one := range []struct {
		kind clients.Kind
		text string
	}{{clients.User, id.User}, {clients.Certificate, id.Subject}, {clients.Ticket, id.Ticket}} {
		if one.text != "" {
			proven = string(one.kind) + " " + one.text
			break
		}
	}
	return fmt.Errorf("%w: %s", err, proven)
}

// NewSender returns the sender of a request that arrives now, before anything is known about it. id is what was
// proven. patience is how long the request waits while its client has too many others in the gateway.
func (b *Book) NewSender(ctx context.Context, id clients.Identity, now time.Time, patience time.Duration) *Sender {
	s := &Sender{identity: id}
	s.admit = func(client *clients.Client) *binding.Refusal { return b.admit(ctx, s, client, now, patience) }
	return s
}

// gate returns the function that finds the client before the body is read, as far as that can be. It refuses a
// request of somebody who is no client, and one that comes too soon.
func (b *Book) gate(s *Sender) func() *binding.Refusal {
	return func() *binding.Refusal {
		s.table, s.Record = b.Clients.Table()
		client, err := s.table.Client(&s.identity)
		if errors.Is(err, clients.ErrNobody) && s.table.KnowsTickets() && b.TicketHolder != nil {
			return nil // the ticket is in the body
		}
		return s.enter(client, err)
	}
}

// identifyByTicket finds the client of a request whose body was read, if a client may be known by its ticket.
func (b *Book) identifyByTicket(s *Sender, auth wsfev1.Auth, now time.Time) *binding.Refusal {
	if s == nil || !s.table.KnowsTickets() || b.TicketHolder == nil {
		return nil
	}
	s.identity.Ticket = clients.Distinguished(b.TicketHolder(auth, now))
	client, err := s.table.Client(&s.identity)
	if err == nil && client == s.Client {
		return nil // it was admitted by what was proven before
	}
	return s.enter(client, err)
}

// enter takes over the table's word about the sender, and waits until the client may enter.
func (s *Sender) enter(client *clients.Client, err error) *binding.Refusal {
	s.Client = client
	if err != nil {
		s.Result = resultNobody
		return binding.NoClient(errNoClient(&s.identity, err))
	}
	// The body, if it was read, counts as the client's before the request may have to wait.
	if full := s.memory.Assign(client.Name); full != nil {
		s.Result = ResultShare
		return full
	}
	return s.admit(client)
}

// admit waits until a request of the client may enter.
func (b *Book) admit(ctx context.Context, s *Sender, client *clients.Client, now time.Time, patience time.Duration) *binding.Refusal {
	leave, refused := b.Clients.Admit(ctx, client, now, patience)
	switch {
	case refused == nil:
		s.leave, s.Result = leave, ResultAdmitted
		return s.memory.Resume(ctx)
	case refused.Err != nil:
		s.Result = ResultShare
		return binding.ShareTaken(refused.Err)
	}
	s.Result, s.Unrecorded = ResultRate, refused.Unrecorded
	return binding.TooManyRequests(refused.Wait)
}

// entitle refuses a request for which its client lacks a right.
func (b *Book) entitle(m Message, d *Decision) {
	switch {
	case m.Sender == nil:
		return
	case m.Sender.Client == nil: // no way leads here: each that finds no client refuses
		d.Refusal = binding.NoClient(clients.ErrNobody)
		return
	}
	denial := m.Sender.Client.Decide(m.Operation, d.Request.Body)
	if !denial.Denies() {
		return
	}
	m.Sender.Result = string(denial.Right)
	refusal, finding := binding.Denied(denial, m.Operation, d.Request.Body)
	d.find(m, []validate.Finding{finding}, func(validate.Finding) validate.Action { return validate.ActionRefuse })
	d.Refusal, d.Foreign = refusal, denial.Right == clients.RightCuit
}

package intake

import (
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
	// Admit counts a request of a client that arrives now. It returns how long the client has to wait until it
	// may send another one, 0 if this one may pass, and whether the refusal is to be recorded.
	Admit(client *clients.Client, now time.Time) (wait time.Duration, recorded bool)
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

	table    *clients.Table
	identity clients.Identity
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

// identify returns the function that finds the client before the body is read, as far as that can be. It refuses
// a request of somebody who is no client, and one that comes too soon.
func (b *Book) identify(s *Sender, now time.Time) func() *binding.Refusal {
	return func() *binding.Refusal {
		s.table, s.Record = b.Clients.Table()
		client, err := s.table.Client(&s.identity)
		if errors.Is(err, clients.ErrNobody) && s.table.KnowsTickets() && b.TicketHolder != nil {
			return nil // the ticket is in the body
		}
		return b.admit(s, client, err, now)
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
	return b.admit(s, client, err, now)
}

// admit takes over what the table says.
func (b *Book) admit(s *Sender, client *clients.Client, err error, now time.Time) *binding.Refusal {
	s.Client = client
	if err != nil {
		return binding.NoClient(errNoClient(&s.identity, err))
	}
	wait, recorded := b.Clients.Admit(client, now)
	if wait == 0 {
		return nil
	}
	s.Unrecorded = !recorded
	return binding.TooManyRequests(wait)
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
	refusal, finding := binding.Denied(denial, m.Operation, d.Request.Body)
	d.find(m, []validate.Finding{finding}, func(validate.Finding) validate.Action { return validate.ActionRefuse })
	d.Refusal, d.Foreign = refusal, denial.Right == clients.RightCuit
}

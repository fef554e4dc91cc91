package today

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
)

// log is how a log stands.
type log struct {
	Name, Records string
	// Proof is the address of the proof of its newest record, empty without one.
	Proof string
	// Problem is why its gateway takes no record; empty if it does, or another one writes it.
	Problem, Class string
	// Kept are the places of its newest checkpoint outside of the store.
	Kept []place
	// Own: the gateway of this configuration writes it.
	Own bool
}

// place is where a checkpoint is kept.
type place struct{ Address, Text, Class string }

// readLogs returns how the logs stand.
func (p *todayPage) readLogs(ctx context.Context, sources []site.Source, now time.Time) error {
	for _, source := range sources {
		for _, name := range source.Logs {
			head, err := source.Store.Head(ctx, name)
			if err != nil {
				return fmt.Errorf("reading the head of log %s: %w", name, err)
			}
			one := log{Name: name, Records: p.Count(int64(head.Size))}
			if head.Size > 0 {
				one.Proof = p.Base + "/proof/" + url.PathEscape(source.Key(name)) + "/" + strconv.FormatUint(head.Size-1, 10)
			}
			if t := source.Trail; t != nil && t.Log == name {
				one.Own = true
				if err := t.Problem(now); err != nil {
					one.Problem, one.Class = err.Error(), "bad"
					p.need(1, "bad", p.T("need.degraded"), "")
				}
				p.keep(ctx, &one, source)
			}
			p.Logs = append(p.Logs, one)
		}
	}
	return nil
}

// keep adds where the newest checkpoint of a log is kept.
func (p *todayPage) keep(ctx context.Context, of *log, source site.Source) {
	if source.Kept == nil {
		return
	}
	for _, kept := range source.Kept(ctx) {
		one := place{Address: kept.Address, Text: p.T("kept.never"), Class: "open"}
		if at, err := time.Parse(time.RFC3339, kept.At); err == nil {
			one.Text, one.Class = p.T("kept.at")+" "+p.Moment(at), "good"
		}
		if kept.Problem != "" {
			one.Text, one.Class = one.Text+" · "+kept.Problem, "bad"
			p.need(1, "open", p.T("need.kept"), "")
		}
		of.Kept = append(of.Kept, one)
	}
}

// credential is a certificate or a ticket that ends.
type credential struct{ Name, What, When, Machine, Class string }

const (
	// soon is when a certificate ends soon; another one takes days to get.
	soon = 30 * 24 * time.Hour
)

// readTickets adds how long the kept tickets and their certificates are still valid, if they are for
// issuers in the scope alone.
func (p *todayPage) readTickets(now time.Time, scope site.Scope) {
	if scope.All() {
		for _, u := range tickets.Unusables() {
			p.need(1, "bad", p.T("need.unusable")+" "+u.File, "")
		}
	}
	for _, s := range tickets.Snapshots() {
		if !scope.May(s.CUITs...) {
			continue
		}
		certificate := credential{Name: s.Certificate.Alias, What: p.T("certificate"), When: p.Moment(s.Certificate.Expires), Machine: machine(s.Certificate.Expires), Class: "good"}
		if s.Certificate.Expires.Sub(now) < soon {
			certificate.Class = "bad"
			p.need(1, "open", p.T("need.certificate")+" "+s.Certificate.Alias, "")
		}
		ticket := credential{Name: s.Certificate.Alias, What: p.T("ticket"), When: p.T("ticket.none"), Class: "bad"}
		if s.Ready {
			ticket.When, ticket.Machine, ticket.Class = p.Moment(s.Expiration), machine(s.Expiration), "good"
		} else {
			p.need(1, "bad", p.T("need.ticket")+" "+s.Certificate.Alias, "")
		}
		p.Credentials = append(p.Credentials, certificate, ticket)
	}
}

func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

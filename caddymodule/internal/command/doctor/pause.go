package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1"
)

// runningTickets returns the tickets of the gateway that is at work with this configuration, none if none
// is.
func runningTickets(ctx context.Context, c *config) []tickets.Shown {
	if len(c.keeping) == 0 {
		return nil
	}
	var running struct {
		Tickets []tickets.Shown `json:"tickets"`
	}
	text, err := readAdmin(ctx, c.admin, tickets.Path)
	if err != nil || json.Unmarshal(text, &running) != nil {
		return nil // it does not run, or is something else: other checks say so
	}
	return running.Tickets
}

// pauseResults says whether the gateway at work has a ticket for a block.
func pauseResults(o tickets.Options, running []tickets.Shown) []result {
	at, c, err := o.Read()
	if err != nil {
		return nil // the certificate's result says so
	}
	i := slices.IndexFunc(running, func(s tickets.Shown) bool {
		return s.Login == at.URL && s.Certificate == c.Name() && slices.ContainsFunc(o.Issuers(), func(cuit wsfev1.CUIT) bool { return slices.Contains(s.Cuits, cuit) })
	})
	if i < 0 {
		return nil
	}
	return []result{pauseResult(fmt.Sprintf("%s: certificate %s", o.Login, running[i].Identity()), running[i])}
}

// pauseResult says whether a gateway at work has a ticket, or pauses after a login that failed. of names the
// login service and the certificate.
func pauseResult(of string, s tickets.Shown) result {
	const check = "access ticket"
	command := fmt.Sprintf("fielato wsfev1 login --now --cuit %s", s.Cuits[0])
	var missing []string
	if s.Ticket != nil {
		for _, cuit := range s.Ticket.Missing {
			missing = append(missing, cuit.String())
		}
	}
	switch p := s.Pause; {
	case p != nil:
		found := fmt.Sprintf("wsaa %s: no login since %s, until %s, as the last one failed: %s", of, p.Since, p.Until, p.Problem)
		cure := fmt.Sprintf("mend what it names; then `%s` ends the pause", command)
		if !p.Now {
			cure = fmt.Sprintf("mend what it names; `%s` ends the pause, though no login begins before %s", command, p.Soonest)
		}
		if failed := client.Fault(p.Code); failed != nil && failed.Advice == client.Wait {
			cure = fmt.Sprintf("wait until %s, which nothing shortens; let no other program log in with this certificate", p.Soonest)
		}
		if s.Ready {
			return warn(check, cure, "%s. The one at hand is used until it ends, at %s", found, s.Ticket.Until)
		}
		return bad(check, cure, "%s", found)
	case !s.Ready:
		return warn(check, "look again in a minute", "wsaa %s: the first login is under way", of)
	case len(missing) > 0:
		return warn(check, fmt.Sprintf("delegate the service to the owner of the certificate in the authority's portal; then `%s` gets a ticket that knows it", command),
			"wsaa %s: the ticket does not act for %s", of, strings.Join(missing, ", "))
	}
	return ok(check, "wsaa %s: there is one until %s", of, s.Ticket.Until)
}

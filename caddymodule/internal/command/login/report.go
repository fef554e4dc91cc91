package login

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// The results of a login.
const (
	granted = "granted"
	// refused: the service has said no, for a reason that lies with this side.
	refused = "refused"
	// failed: there is no verdict.
	failed = "failed"
)

const (
	// notableSkew is from when on a difference of the clocks is shown.
	notableSkew = 5 * time.Second
	// renewalDays is how many days before its end a certificate should be replaced.
	renewalDays = 30
	// maxShown is how many CUITs a text shows.
	maxShown = 20
)

// report is what a login has shown. It has no credential.
type report struct {
	Result      string            `json:"result"`
	URL         string            `json:"url"`
	Environment string            `json:"environment"`
	Service     string            `json:"service"`
	Certificate reportCertificate `json:"certificate"`
	Ticket      *reportTicket     `json:"ticket,omitempty"`
	// SkewSeconds is how far the clock of the service is ahead of this machine's, if known.
	SkewSeconds *int64 `json:"skew_seconds,omitempty"`
	Saved       string `json:"saved,omitempty"`
	Code        string `json:"code,omitempty"`
	Text        string `json:"text,omitempty"`
	Advice      string `json:"advice,omitempty"`
	Cure        string `json:"cure,omitempty"`

	c    *credential.Credential
	skew time.Duration
}

type reportCertificate struct {
	Subject string      `json:"subject"`
	Alias   string      `json:"alias"`
	Cuit    wsfev1.CUIT `json:"cuit"`
	Expires string      `json:"expires"`
}

type reportTicket struct {
	Since string `json:"since"`
	Until string `json:"until"`
	// Cuits are absent if the Token could not be read.
	Cuits []wsfev1.CUIT `json:"cuits,omitempty"`
}

func newReport(at tickets.Place, service string, c *credential.Credential, result client.Result, err error) *report {
	r := &report{
		Result: granted, URL: at.URL, Environment: at.Environment.String(), Service: service, c: c,
		Certificate: reportCertificate{c.Name(), c.Alias(), c.CUIT(), c.Expires().UTC().Format(time.RFC3339)},
	}
	if result.Measured {
		r.skew = result.Skew.Round(time.Second)
		seconds := int64(r.skew / time.Second)
		r.SkewSeconds = &seconds
	}
	if t := result.Ticket; t != nil {
		r.Ticket = &reportTicket{moment(t.Generation), moment(t.Expiration), t.Relations}
	}
	if why, ok := errors.AsType[*client.Error](err); ok {
		r.Result, r.Code, r.Text, r.Advice, r.Cure = refused, why.Code, why.Text, why.Advice.String(), why.Cure
		if !client.IsVerdict(why.Code) {
			r.Result = failed
		}
	}
	return r
}

// moment returns a time as the authority writes it, with its zone.
func moment(t time.Time) string { return t.In(wsfev1.Argentina).Format(time.RFC3339) }

// text returns the report of a login that was granted.
func (r *report) text(now time.Time) string {
	if r.Ticket == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Logged in at %s: there is a ticket for %s.\n", r.Environment, r.Service)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("Address", "%s", r.URL)
	line("Certificate", "%s", r.Certificate.Subject)
	line("of CUIT", "%s", r.Certificate.Cuit)
	line("Expires", "%s", expiry(r.c, now))
	line("Acts for", "%s", r.cuits())
	line("Since", "%s", r.Ticket.Since)
	line("Until", "%s", r.Ticket.Until)
	if clock := r.clock(); clock != "" {
		line("Clock", "%s", clock)
	}
	if r.Saved != "" {
		line("Saved", "%s; until it expires, it opens the service to anybody who has it", r.Saved)
	}
	if daysUntil(r.c.Expires(), now) < renewalDays {
		b.WriteString(renewSoon)
	}
	return b.String()
}

// renewSoon is said of a certificate that expires soon.
const renewSoon = "The certificate expires soon: request a new one with certificate request.\n"

func (r *report) cuits() string {
	if r.Ticket.Cuits == nil {
		return "unknown: the Token cannot be read"
	}
	var texts []string
	for _, cuit := range r.Ticket.Cuits[:min(len(r.Ticket.Cuits), maxShown)] {
		texts = append(texts, cuit.String())
	}
	if more := len(r.Ticket.Cuits) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more (--format json has all)", more))
	}
	return strings.Join(texts, ", ")
}

// clock returns the difference of the clocks, empty if it is small or not known.
func (r *report) clock() string {
	switch {
	case r.skew >= notableSkew:
		return fmt.Sprintf("this machine is %s behind the service: set its clock (NTP)", r.skew)
	case r.skew <= -notableSkew:
		return fmt.Sprintf("this machine is %s ahead of the service: set its clock (NTP)", -r.skew)
	}
	return ""
}

// whatToDo returns what follows from the advice, as the end of a sentence.
func (r *report) whatToDo() string {
	var text string
	switch r.Advice {
	case client.Wait.String():
		text = "; the ticket stays valid until it expires: take it from where it is, or log in again after ten minutes (two in production)"
	case client.Retry.String():
		text = "; try again after a minute or more"
	}
	if clock := r.clock(); clock != "" {
		text += "; " + clock
	}
	return text
}

package tickets

import (
	"context"
	"errors"
	"time"

	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// Path is where the admin API shows the keepers.
	Path = "/wsfev1/tickets"
	// LoginPath is where it lets one log in.
	LoginPath = Path + "/login"
)

// Shown is how the admin API and the commands show a keeper. It has no credential. Times are by the
// authority's clock.
type Shown struct {
	// Login is the address of the login service, Certificate the name of the certificate.
	Login       string `json:"login"`
	Service     string `json:"service"`
	Certificate string `json:"certificate"`
	Alias       string `json:"alias"`
	// Cuit is the owner of the certificate, and Cuits those for which its ticket is given away.
	Cuit    wsfev1.CUIT   `json:"cuit"`
	Expires string        `json:"expires"`
	Cuits   []wsfev1.CUIT `json:"cuits"`
	// Ready: there is a ticket to use.
	Ready bool `json:"ready"`
	// Ticket is nil if there is none.
	Ticket *ShownTicket `json:"ticket"`
	// Pause is nil if the last login succeeded.
	Pause *ShownPause `json:"pause"`
}

// ShownTicket is a ticket.
type ShownTicket struct {
	Since string `json:"since"`
	Until string `json:"until"`
	// Renewal is from when a newer one is sought.
	Renewal string `json:"renewal"`
	// Missing are the CUITs for which it does not act.
	Missing []wsfev1.CUIT `json:"missing,omitempty"`
}

// ShownPause is the pause after a login that failed.
type ShownPause struct {
	Code    string `json:"code"`
	Problem string `json:"problem"`
	// Since is when the last login failed, and Failures how many in a row.
	Since    string `json:"since"`
	Failures int    `json:"failures"`
	// Until is when the next login begins by itself, and Soonest when one may begin that a person asks
	// for.
	Until   string `json:"until"`
	Soonest string `json:"soonest"`
	// Now: a login that a person asks for begins at once.
	Now bool `json:"now"`
	// Shared: another gateway has failed, or this one before it was started.
	Shared bool `json:"shared"`
}

// Show returns how a keeper is shown.
func Show(s keeper.Snapshot) Shown {
	shown := Shown{
		Login: s.URL, Service: s.Service, Certificate: s.Certificate.Name, Alias: s.Certificate.Alias, Cuit: s.Certificate.CUIT,
		Expires: moment(s.Certificate.Expires), Cuits: s.CUITs, Ready: s.Ready,
	}
	if !s.Expiration.IsZero() {
		shown.Ticket = &ShownTicket{moment(s.Generation), moment(s.Expiration), moment(s.Renewal), s.Missing}
	}
	if f := s.Failure; f != nil {
		soonest := s.Now
		if s.Earliest.After(soonest) {
			soonest = s.Earliest
		}
		if f.Next.Before(soonest) {
			soonest = f.Next
		}
		shown.Pause = &ShownPause{
			Code: f.Code, Problem: f.Err.Error(), Since: moment(f.At), Failures: f.Count, Until: moment(f.Next), Soonest: moment(soonest),
			Now: !soonest.After(s.Now), Shared: f.Shared,
		}
	}
	return shown
}

// Identity returns the certificate of a keeper that is shown.
func (s *Shown) Identity() credential.Identity {
	expires, err := time.Parse(time.RFC3339, s.Expires)
	if err != nil {
		return credential.Identity{}
	}
	return credential.Identity{Name: s.Certificate, Alias: s.Alias, CUIT: s.Cuit, Expires: expires}
}

// moment returns a time as the authority writes it, with its zone.
func moment(t time.Time) string { return t.In(wsfev1.Argentina).Format(time.RFC3339) }

// The results of a login that was asked for.
const (
	// Granted: there is a new ticket.
	Granted = "granted"
	// Refused: the login service has said no, for a reason that lies with this side.
	Refused = "refused"
	// Failed: there is no verdict.
	Failed = "failed"
	// Waiting: the login begins by itself as soon as the login service allows, or is under way.
	Waiting = "waiting"
)

// Asked is what became of a login that was asked for.
type Asked struct {
	Result string `json:"result"`
	// Code is the code of the failure, or of the one whose pause the login waits for; empty for none.
	Code    string `json:"code,omitempty"`
	Problem string `json:"problem,omitempty"`
	// Verdict: the problem lies with this side, as with a login that was refused.
	Verdict bool `json:"verdict"`
	// Next is when the login begins, or the next one.
	Next   string `json:"next,omitempty"`
	Keeper Shown  `json:"keeper"`
}

// LogIn lets a keeper log in now, and waits for that until the context ends.
func LogIn(ctx context.Context, k *keeper.Keeper) Asked {
	err := k.LogIn(ctx)
	s := k.Snapshot()
	a := Asked{Result: Granted, Keeper: Show(s)}
	if err == nil {
		return a
	}
	a.Result, a.Problem = Failed, err.Error()
	if failed, ok := errors.AsType[*client.Error](err); ok {
		a.Code, a.Verdict = failed.Code, client.IsVerdict(failed.Code)
	}
	if errors.Is(err, keeper.ErrWindow) {
		a.Verdict = true
	}
	none, isNone := errors.AsType[*keeper.UnavailableError](err)
	paused, isPaused := errors.AsType[*keeper.PausedError](err)
	switch {
	case isPaused:
		a.Result, a.Problem = Waiting, paused.Cause.Error()
		if paused.Next.After(s.Now) {
			a.Next = moment(paused.Next)
		}
	case isNone:
		a.Problem, a.Next = none.Cause.Error(), moment(s.Now.Add(none.Retry))
		if a.Verdict {
			a.Result = Refused
		}
	}
	return a
}

package caddymodule

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/once"
	"github.com/fielato/fielato/wsfev1"
)

// Breaker says when the service is taken not to answer. Then what changes something is
// refused with 503, but for one request after each rest, which first looks whether the
// service answers again. Queries and tables pass. An outage, and its end, is a record.
type Breaker struct {
	// Off says that nothing is refused, and that no outage begins. One that lasts when it
	// is set goes on until the service answers, as its record says how long it lasted.
	Off bool `json:"off,omitempty"`
	// Failures is how many exchanges in a row the service must leave without an answer
	// of its own. FEDummy and the tables do not count. Default: 5.
	Failures int `json:"failures,omitempty"`
	// Rest is how long nothing that changes something is sent then. Default: 10 seconds.
	Rest caddy.Duration `json:"rest,omitempty"`
	// Service names what stands behind, one word. Handlers that share a store share the
	// breakers of the same name: give each a name where they forward to different
	// services, also those whose breaker is off. Default: no name.
	Service string `json:"service,omitempty"`
}

const (
	defaultBreakerFailures = 5
	defaultBreakerRest     = 10 * time.Second
	// maxServiceName bounds the name, which each outage's record has, in bytes.
	maxServiceName = 64
)

func (b *Breaker) failures() int { return cmp.Or(b.Failures, defaultBreakerFailures) }

func (b *Breaker) rest() time.Duration {
	return cmp.Or(time.Duration(b.Rest), defaultBreakerRest)
}

func (b *Breaker) validate() error {
	switch {
	case b.Failures < 0:
		return fmt.Errorf("breaker %d: give the number of failures after which it opens, such as 5", b.Failures)
	case b.Rest < 0:
		return errors.New("breaker rest is negative: give a duration such as 10s")
	case len(b.Service) > maxServiceName:
		return fmt.Errorf("breaker service: the name has more than %d bytes", maxServiceName)
	}
	return nil
}

const breakerUsage = "breaker: write breaker <failures> [rest <duration>] [service <name>], such as breaker 5 rest 10s, or breaker off [service <name>]"

// unmarshalBreaker reads the option.
func (g *Gateway) unmarshalBreaker(d *caddyfile.Dispenser) error {
	if !d.NextArg() {
		return d.Err(breakerUsage)
	}
	if d.Val() == optionOff {
		g.Breaker.Off = true
	} else {
		n, err := strconv.Atoi(d.Val())
		if err != nil || n < 1 {
			return d.Err(breakerUsage)
		}
		g.Breaker.Failures = n
	}
	for d.NextArg() {
		option := d.Val()
		if !d.NextArg() {
			return d.Err(breakerUsage)
		}
		switch {
		case option == "rest" && !g.Breaker.Off:
			rest, err := caddy.ParseDuration(d.Val())
			if err != nil || rest <= 0 {
				return d.Errf("breaker rest %q: give a duration such as 10s", d.Val())
			}
			g.Breaker.Rest = caddy.Duration(rest)
		case option == "service":
			g.Breaker.Service = d.Val()
		default:
			return d.Err(breakerUsage)
		}
	}
	return nil
}

// watch returns who may refuse what is for the gateway's service, nil where nobody may.
func (g *Gateway) watch(t *trail) *watch {
	if g.Breaker.Off {
		return nil
	}
	return g.watchOf(t)
}

// watchOf returns who is told what the gateway's service answers.
func (g *Gateway) watchOf(t *trail) *watch { return t.watches.of(g.Breaker.Service) }

// tune sets the numbers of the breaker, which outlives configurations.
func (g *Gateway) tune(t *trail) {
	if w := g.watch(t); w != nil {
		w.breaker.Tune(g.Breaker.failures(), g.Breaker.rest())
	}
}

// spare turns a request away before it waits for its turn, where that would be in vain:
// the service does not answer, and what is open in the series has to be asked about first.
func (x *exchange) spare(request *once.Request) *fault {
	w := x.gateway.watch(x.trail)
	if w == nil {
		return nil
	}
	if wait, halts := w.breaker.Halts(); halts && x.trail.keeper.Unsettled(request.Key.Lane) {
		return w.refusal(wait)
	}
	return nil
}

// passBreaker comes before what changes something is sent. What was answered before is
// answered again also while the service does not answer.
func (x *exchange) passBreaker() bool {
	w := x.gateway.watch(x.trail)
	if w == nil || x.operation.Effect != wsfev1.EffectChanges {
		return true
	}
	permission, wait := w.breaker.Allow()
	switch permission {
	case once.Pass:
		return true
	case once.Probe:
		x.probing = w // until the exchange has told what came of it
		if x.probe() {
			return true
		}
		wait = x.gateway.Breaker.rest()
	}
	return x.refuse(w.refusal(wait))
}

// probe asks the service with the client's credentials, FEDummy first, which costs it
// nothing, and then what goes where issuing goes. If it answers both, the request itself
// may be sent: where questions were answered all the time, that shows whether the rest is
// answered again.
func (x *exchange) probe() bool {
	service := x.inquirer()
	if _, err := service.Ask(x.detached(), "FEDummy", &wsfev1.FEDummyRequest{}); err != nil {
		return false
	}
	operation, request := "FECompTotXRequest", any(&wsfev1.AuthRequest{Auth: service.Auth()})
	if x.subject.PtoVta != 0 && x.subject.CbteTipo != 0 {
		operation, request = "FECompUltimoAutorizado", &wsfev1.FECompUltimoAutorizadoRequest{
			Auth: service.Auth(), PtoVta: x.subject.PtoVta, CbteTipo: x.subject.CbteTipo,
		}
	}
	_, err := service.Ask(x.detached(), operation, request)
	return err == nil
}

// endProbe lets somebody else try, unless the service has answered. It may be called more
// than once.
func (x *exchange) endProbe() {
	if x.probing != nil {
		x.probing.breaker.EndProbe()
		x.probing = nil
	}
}

// refusal is about a request that is not sent because the service does not answer.
func (w *watch) refusal(wait time.Duration) *fault {
	scope, since, _ := w.breaker.Open()
	what := ""
	if scope == once.Changes {
		what = " a lo que se le pide emitir o informar"
	}
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	f := refuse(http.StatusServiceUnavailable, outcomeOutage, "service.outage", fmt.Sprintf(
		"El servicio no responde desde el %s%s: el pedido no se envió. Puede repetirse en %s s.",
		since.In(wsfev1.Argentina).Format("02/01/2006 a las 15:04:05"), what, seconds))
	f.retryAfter = seconds
	return f
}

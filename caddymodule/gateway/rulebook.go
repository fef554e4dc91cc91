package gateway

import (
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// provisionRules makes the rules of the settings, and the book that decides with them.
func (g *Gateway) provisionRules(environment rules.Environment) error {
	levels, err := directive.Levels(g.Rules)
	if err != nil {
		return err
	}
	learned := g.way.Learned
	settings := rules.Settings{
		Levels:            levels,
		AbsoluteTolerance: g.AbsoluteTolerance, RelativeTolerance: g.RelativeTolerance,
		ConsumerFinalThreshold: g.ConsumerFinalThreshold, FCEMinimum: g.FCEMinimum,
		Rates: &learned.Rates, Lots: &learned.Lot, Tables: &learned.Tables, Environment: environment,
	}
	b := &intake.Book{
		Contract: validate.Contract(g.Contract), Observe: g.Mode == modeObserve, Named: g.Rules, Settings: settings,
		Replays: g.Replay == optionOn, Allows: g.allows(),
		Now:   func() time.Time { return g.clock.At(g.now()) },
		Keeps: func(cuit wsfev1.CUIT) (always, ok bool) { return g.way.Keepers.Keeps(cuit) },
	}
	if g.Ticket == ticketCheck {
		b.RefusesTicket = func(auth wsfev1.Auth, now time.Time) string { return g.tickets.Refusal(auth, now) }
	}
	if b.Rules, err = rules.NewRules(settings); err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	g.way.Book = b
	b.Filler, err = g.filler()
	return err
}

// allows returns the function that reports whether an issuer may pass (option cuits).
func (g *Gateway) allows() func(wsfev1.CUIT) bool {
	cuits := make(map[wsfev1.CUIT]struct{}, len(g.Cuits))
	for _, c := range g.Cuits {
		cuits[wsfev1.CUIT(c)] = struct{}{}
	}
	return func(cuit wsfev1.CUIT) bool {
		_, ok := cuits[cuit]
		return ok || len(cuits) == 0
	}
}

// bookForReaders returns the book for the console.
func (g *Gateway) bookForReaders() *intake.Book {
	own, _ := rules.NewRules(g.way.Book.Settings) // which the gateway's own have passed
	return g.way.Book.ForReader(own)
}

package simulator

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/fielato/fielato/backend"
	"github.com/fielato/fielato/caddymodule/directive"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

const (
	ticketsOpen   = "open"
	ticketsStrict = "strict"
)

// provisionOptions reads what the configuration says of the service, and the files
// that it names: a file with a mistake is one of the configuration.
func (b *Backend) provisionOptions() error {
	b.options.Clock = b.app.Clock().Now
	for _, provision := range []func() error{
		b.provisionRules, b.provisionTickets, b.provisionRegister, b.provisionTables, b.provisionEvents,
	} {
		if err := provision(); err != nil {
			return err
		}
	}
	return nil
}

func (b *Backend) provisionRules() error {
	levels, err := directive.Levels(b.Rules)
	if err != nil {
		return err
	}
	b.options.Rules, err = rules.NewRules(rules.Settings{Levels: levels, DecidesState: true})
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	b.options.Judge = b.options.Rules.Judge
	return nil
}

func (b *Backend) provisionTickets() error {
	switch b.Tickets {
	case "", ticketsOpen:
		return nil
	case ticketsStrict:
		b.options.Tickets = wsaa.NewChecker(nil).StrictRefusal
		return nil
	}
	return fmt.Errorf("unknown tickets %q: use open or strict", b.Tickets)
}

func (b *Backend) provisionRegister() error {
	if b.Register == "" {
		return nil
	}
	path, err := directive.ResolvePath(b.Register)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	b.options.Register, err = backend.ReadRegister(path, text)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	return nil
}

func (b *Backend) provisionTables() error {
	if b.Tables == "" {
		return nil
	}
	path, err := directive.ResolvePath(b.Tables)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	b.options.Tables, err = backend.ReadTables(os.DirFS(path))
	if err != nil {
		return fmt.Errorf("tables: %s: %w", path, err)
	}
	return nil
}

func (b *Backend) provisionEvents() error {
	b.options.Events = nil
	for _, e := range b.Events {
		switch {
		case e.Code < 1:
			return fmt.Errorf("event %d: the code is a number from 1 to %d", e.Code, math.MaxInt32)
		case strings.TrimSpace(e.Text) == "":
			return fmt.Errorf("event %d: it has no text", e.Code)
		}
		b.options.Events = append(b.options.Events, wsfev1.Evt{Code: e.Code, Msg: e.Text})
	}
	return nil
}

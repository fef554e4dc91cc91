package simulator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/login"
	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

const (
	ticketsOpen   = "open"
	ticketsStrict = "strict"
	textsFielato  = "fielato"
	textsARCA     = "arca"
)

// provisionOptions reads the options and the files that they name. A mistake in a file is an
// error of the configuration.
func (s *Simulator) provisionOptions() error {
	s.options.Clock = s.app.Clock().Now
	for _, provision := range []func() error{
		s.provisionRules, s.provisionTickets, s.provisionTexts, s.provisionRegister, s.provisionTables, s.provisionEvents,
	} {
		if err := provision(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Simulator) provisionRules() error {
	levels, err := directive.Levels(s.Rules)
	if err != nil {
		return err
	}
	s.options.Rules, err = rules.NewRules(rules.Settings{Levels: levels, DecidesState: true, Environment: rules.Production})
	if err != nil {
		return fmt.Errorf("rules: %w", err)
	}
	s.options.Judge = s.options.Rules.Judge
	return nil
}

func (s *Simulator) provisionTickets() error {
	switch s.Tickets {
	case "", ticketsOpen, ticketsStrict:
		return nil
	}
	return fmt.Errorf("unknown tickets %q: use open or strict", s.Tickets)
}

func (s *Simulator) provisionTexts() error {
	switch s.Texts {
	case "", textsFielato:
		s.options.Texts = backend.TextsFielato
	case textsARCA:
		s.options.Texts = backend.TextsARCA
	default:
		return fmt.Errorf("unknown texts %q: use fielato or arca", s.Texts)
	}
	return nil
}

// checkTickets returns what checks strict tickets, nil if they are open. With a login service in the
// configuration, Sign must be of its key; without one nobody can tell whose Sign it is.
func (s *Simulator) checkTickets(ctx context.Context) (func(wsfev1.Auth, time.Time) string, error) {
	if s.Tickets != ticketsStrict {
		return nil, nil
	}
	authority, err := login.Authority(ctx, s.app)
	if err != nil {
		return nil, err
	}
	return wsaa.NewChecker(authority).StrictRefusal, nil
}

func (s *Simulator) provisionRegister() error {
	if s.Register == "" {
		return nil
	}
	path, err := directive.ResolvePath(s.Register)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("register: there is no file %s", absolute(path))
	}
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	s.options.Register, err = backend.ReadRegister(path, text)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	return nil
}

// absolute returns where a path leads from the folder in which the process runs.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

func (s *Simulator) provisionTables() error {
	if s.Tables == "" {
		return nil
	}
	path, err := directive.ResolvePath(s.Tables)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("tables: there is no folder %s", absolute(path))
	}
	s.options.Tables, err = backend.ReadTables(os.DirFS(path))
	if err != nil {
		return fmt.Errorf("tables: %s: %w", path, err)
	}
	return nil
}

func (s *Simulator) provisionEvents() error {
	s.options.Events = nil
	for _, e := range s.Events {
		switch {
		case e.Code < 1:
			return fmt.Errorf("event %d: the code is a number from 1 to %d", e.Code, math.MaxInt32)
		case strings.TrimSpace(e.Text) == "":
			return fmt.Errorf("event %d: it has no text", e.Code)
		}
		s.options.Events = append(s.options.Events, wsfev1.Evt{Code: e.Code, Msg: e.Text})
	}
	return nil
}

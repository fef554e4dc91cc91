package site

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// Source is a store of trails that may be read.
type Source struct {
	Store audit.Store
	// Logs are the names of the logs in the store.
	Logs []string
	// Trail is the open trail of this configuration's gateway that writes into the store; nil if the
	// console only reads it.
	Trail *trail.Trail
	// Kept returns the places where the gateway publishes the newest checkpoint of Trail, out of reach
	// of who can change the store; nil without Trail.
	Kept func(context.Context) []checkpoint.ShownDestination

	// proving is the same source with everything that a proof takes; nil if the reader may see all of the source.
	proving *Source
	// writer is Trail, also where the reader may not see how it is.
	writer *trail.Trail
	// mark tells the logs of this source from logs with the same names in an earlier source; mostly empty.
	mark string
}

// Key returns the name of a log in addresses: two gateways of one configuration may write logs of the same
// name into stores of their own.
func (source *Source) Key(log string) string { return log + source.mark }

// LogOf returns the log that a name in an address means, and the mark behind it.
func LogOf(key string) (log, mark string) {
	if at := strings.LastIndexByte(key, ':'); at >= 0 {
		return key[:at], key[at:]
	}
	return key, ""
}

// PlaceOf returns the record that {log} and {index} name in the path of a page, and the mark of its source.
func PlaceOf(r *http.Request) (log, mark string, index uint64, err error) {
	if index, err = strconv.ParseUint(r.PathValue("index"), 10, 63); err != nil {
		return "", "", 0, ErrNotFound
	}
	log, mark = LogOf(r.PathValue("log"))
	return log, mark, index, nil
}

// marked gives a mark to each source that has a log of the same name as an earlier one. The first has none, so
// that addresses stay when another gateway is added.
func marked(sources []Source) []Source {
	seen := map[string]bool{}
	for i := range sources {
		for _, log := range sources[i].Logs {
			if seen[log] {
				sources[i].mark = ":" + strconv.Itoa(i+1)
			}
		}
		for _, log := range sources[i].Logs {
			seen[log] = true
		}
	}
	return sources
}

// Read calls do with the sources, and with the one alone that has the log of this key; an empty key means
// all. An error of one source is the error of all: a page that shows less than there is would
// mislead.
//
// With log_reads, the read is recorded first, in each source. what describes it without any secret, as a
// command's words and flags do: "console search …".
func (s *Site) Read(r *http.Request, key, what string, do func([]Source) error) error {
	return s.read(r, key, what, s.note, do)
}

// ReadAgain is Read for a page that refreshes itself: all refreshes by a reader are one reading, with a begin and
// an end.
func (s *Site) ReadAgain(r *http.Request, key, what string, do func([]Source) error) error {
	return s.read(r, key, what, s.noteAgain, do)
}

func (s *Site) read(r *http.Request, key, what string, note func(*http.Request, Source, string) error, do func([]Source) error) error {
	return s.ReadUnnoted(r, func(sources []Source) error {
		if key != "" {
			log, mark := LogOf(key)
			at := slices.IndexFunc(sources, func(source Source) bool { return source.mark == mark && slices.Contains(source.Logs, log) })
			if at < 0 {
				return fmt.Errorf("log %q: %w", key, ErrNotFound)
			}
			sources = sources[at : at+1]
		}
		for _, source := range sources {
			if err := note(r, source, what); err != nil {
				return err
			}
		}
		return do(sources)
	})
}

// ReadUnnoted is Read for what shows no content: numbers of exchanges, checkpoints, sizes.
func (s *Site) ReadUnnoted(r *http.Request, do func([]Source) error) error {
	scope, err := s.present(r)
	if err != nil {
		return err
	}
	return s.ReadWhole(r.Context(), func(sources []Source) error {
		if scope.All() {
			return do(sources)
		}
		alone := len(sources) == 1 && len(sources[0].Logs) == 1
		for i := range sources {
			if err := sources[i].bind(r.Context(), scope, alone); err != nil {
				return err
			}
		}
		return do(sources)
	})
}

// ReadWhole calls do with the whole sources, whoever reads: for numbers that a page keeps in memory, and gives
// to each reader by issuer.
func (s *Site) ReadWhole(ctx context.Context, do func([]Source) error) error {
	return s.Open(ctx, func(sources []Source) error {
		sources = marked(sources)
		for i := range sources {
			source := &sources[i]
			source.Store, source.writer = &sharedStore{source.Store, s.share}, source.Trail
		}
		return do(sources)
	})
}

// bind leaves the records in the scope, and nothing else of the source. alone: it has the only log.
func (source *Source) bind(ctx context.Context, scope Scope, alone bool) error {
	store, err := newBoundStore(ctx, source.Store, scope, source.Logs, alone)
	if err != nil {
		return err
	}
	source.Store, source.Logs, source.Trail = store, store.logs, nil
	proving := *source
	proving.Store = &proveStore{store}
	source.proving, source.Kept = &proving, nil
	return nil
}

// IsBound reports whether the reader may see only some records of the source.
func (source *Source) IsBound() bool { return source.proving != nil }

// Proving returns the source with everything that the proof of a record takes. The error is ErrNotFound if the
// reader may not see the record.
func (source *Source) Proving(ctx context.Context, log string, index uint64) (*Source, error) {
	if source.proving == nil {
		return source, nil
	}
	if _, err := source.Store.Get(ctx, log, index); err != nil {
		return nil, err
	}
	return source.proving, nil
}

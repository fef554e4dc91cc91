package site

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// maxNoted bounds the texts of a read that is recorded, in bytes.
const maxNoted = 1024

// note records that a reader is about to see content, if the trail wants that.
func (s *Site) note(r *http.Request, source Source, what string) error {
	read, err := s.reading(r, source, what)
	if err != nil || read == nil {
		return err
	}
	return write(source.writer, read.Record(local.Address(r), s.Now()))
}

// reading returns the read to record, nil if the trail wants none.
func (s *Site) reading(r *http.Request, source Source, what string) (*trail.Read, error) {
	logged, err := trail.ReadsAreLogged(r.Context(), source.Store)
	if err != nil || !logged {
		return nil, err
	}
	if source.writer == nil {
		return nil, fmt.Errorf("%w: the console only reads this store; put it into the configuration of the gateway that writes the trail, without audit", ErrReadUnrecorded)
	}
	if row := s.Scope(r).Reader; row != "" {
		what = "--reader " + row + " " + what
	}
	return &trail.Read{Log: source.writer.Log, Who: cut(s.Who(r)), Way: audit.WayConsole, What: "console " + cut(what)}, nil
}

func write(to *trail.Trail, record *audit.Record) error {
	if _, err := to.Append(record, nil); err != nil {
		return fmt.Errorf("%w: %w", ErrReadUnrecorded, err)
	}
	return nil
}

// cut returns a text without what cannot be printed, and not too long.
func cut(text string) string {
	if len(text) > maxNoted {
		text = text[:maxNoted]
	}
	return strings.ToValidUTF8(text, "")
}

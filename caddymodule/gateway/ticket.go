package gateway

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/login"
	"github.com/fielato/fielato/wsaa"
)

// The option ticket.
const (
	ticketCheck = "check"
	ticketOff   = "off"
)

// provisionTickets reads the authority's certificate from its PEM file, if there is one.
// Placeholders in its path are replaced. A certificate that the configuration's own login service
// writes at its first start is read after that.
func (g *Gateway) provisionTickets(a *app.App) error {
	file := ""
	if g.TicketCertificate != "" {
		var err error
		if file, err = directive.ResolvePath(g.TicketCertificate); err != nil {
			return fmt.Errorf("ticket check: %w", err)
		}
	}
	err := g.readTickets(file)
	if errors.Is(err, fs.ErrNotExist) && login.Publishes(a, file) {
		a.Open(lateTickets{g, file})
		return nil
	}
	return err
}

// lateTickets reads a certificate when the configuration starts.
type lateTickets struct {
	gateway *Gateway
	file    string
}

// Start implements app.Resource.
func (l lateTickets) Start() error { return l.gateway.readTickets(l.file) }

// Stop implements app.Resource.
func (lateTickets) Stop() {}

// readTickets makes what checks tickets, by the certificate in a file if there is one.
func (g *Gateway) readTickets(file string) error {
	authority, err := readAuthority(file)
	if err != nil {
		return fmt.Errorf("ticket check: %w", err)
	}
	g.tickets = wsaa.NewChecker(authority)
	g.tickets.Expires = ticketExpiry.Note
	return nil
}

func readAuthority(file string) (*x509.Certificate, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the authority's certificate: %w: give its file in PEM, or leave it out", err)
	}
	authority, err := wsaa.ParseAuthority(text)
	if errors.Is(err, wsaa.ErrNoCertificate) {
		return nil, fmt.Errorf("the file %s holds %w", file, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the certificate in the file %s: %w", file, err)
	}
	return authority, nil
}

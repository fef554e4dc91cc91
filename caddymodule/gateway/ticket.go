package gateway

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/fielato/fielato/caddymodule/directive"
	"github.com/fielato/fielato/wsaa"
)

// The option ticket.
const (
	ticketCheck = "check"
	ticketOff   = "off"
)

// provisionTickets reads the authority's certificate from its PEM file, if there is one.
// Placeholders in its path are replaced.
func (g *Gateway) provisionTickets() error {
	authority, err := readAuthority(g.TicketCertificate)
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
	file, err := directive.ResolvePath(file)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the authority's certificate: %w", err)
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

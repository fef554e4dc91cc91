package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// Ticket is an access ticket. Token and Sign are credentials; the rest may be shown.
type Ticket struct {
	Token, Sign wsfev1.Secret
	// Service is the id of the service that it opens.
	Service string
	// Generation and Expiration bound its life, by the authority's clock.
	Generation, Expiration time.Time
	// Known: the Token could be read, so that Relations are the CUITs for which the ticket acts. They
	// date from the moment of the login.
	Known     bool
	Relations []wsfev1.CUIT
	// Certificate describes the certificate of the login, as credential.Identity.String does. A Keeper sets it;
	// empty if it is not known, as for a ticket that an earlier build has stored.
	Certificate string
}

// ActsFor reports whether the ticket acts for a CUIT, as far as that is known.
func (t *Ticket) ActsFor(cuit wsfev1.CUIT) bool {
	return !t.Known || slices.Contains(t.Relations, cuit)
}

const (
	// maxToken and maxSign bound the texts of a ticket, in bytes. A ticket with 10,000 relations fits.
	maxToken = 1 << 20
	maxSign  = 4 << 10
	// maxLife is the longest life of a ticket. The authority's tickets live twelve hours; a login
	// service for tests may give more.
	maxLife = 10 * 366 * 24 * time.Hour
)

// readTicket reads the document of a ticket (loginTicketResponse). The error repeats nothing of it.
func readTicket(document []byte, service string) (*Ticket, error) {
	var generation, expiration, token, sign string
	err := readTexts(document, "",
		want("loginTicketResponse/header/generationTime", &generation), want("loginTicketResponse/header/expirationTime", &expiration),
		want("loginTicketResponse/credentials/token", &token), want("loginTicketResponse/credentials/sign", &sign))
	if err != nil {
		return nil, fmt.Errorf("the ticket cannot be read: %w", err)
	}
	t := &Ticket{Service: service}
	if t.Token, err = secret("token", token, maxToken); err != nil {
		return nil, err
	}
	if t.Sign, err = secret("sign", sign, maxSign); err != nil {
		return nil, err
	}
	if t.Generation, err = parseTime("generationTime", generation); err != nil {
		return nil, err
	}
	if t.Expiration, err = parseTime("expirationTime", expiration); err != nil {
		return nil, err
	}
	if err := t.readToken(); err != nil {
		return nil, err
	}
	switch life := t.Expiration.Sub(t.Generation); {
	case life <= 0:
		return nil, fmt.Errorf("the ticket ends before it begins: it begins at %s, and by the answer or by its Token it ends at %s",
			t.Generation.UTC().Format(time.RFC3339), t.Expiration.UTC().Format(time.RFC3339))
	case life > maxLife:
		return nil, errors.New("the ticket lives for more than ten years")
	}
	return t, nil
}

// secret returns a credential: base64, without the white space in it.
func secret(name, text string, most int) (wsfev1.Secret, error) {
	if len(text) > most {
		return "", fmt.Errorf("%s has more than %d bytes", name, most)
	}
	text = strings.Join(strings.Fields(text), "")
	body := strings.TrimRight(text, "=")
	if body == "" || strings.Trim(body, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") != "" || len(text)-len(body) > 2 {
		return "", fmt.Errorf("%s is not base64", name)
	}
	return wsfev1.Secret(text), nil
}

// parseTime reads a time of the years 2000 to 2199, all of which can be counted in nanoseconds. One
// without an offset is the authority's local time.
func parseTime(name, text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, wsfev1.Argentina); err == nil && t.Year() >= 2000 && t.Year() < 2200 {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a time", name)
}

// readToken takes what it can from the Token, which only the services must be able to read. One that
// ends earlier than the ticket says ends the ticket.
func (t *Ticket) readToken() error {
	content, ok := wsaa.ReadTicket(t.Token)
	if !ok {
		return nil
	}
	if content.Service != t.Service {
		return errors.New("the ticket is of another service than the one that was asked for")
	}
	if content.Expiration.Before(t.Expiration.Truncate(time.Second)) {
		t.Expiration = content.Expiration
	}
	t.Known, t.Relations = true, content.Relations
	return nil
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
)

// promises are what a target does with requests. A target that did less than its name
// says would look fast.
type promises struct {
	shape   bool // a member of a wrong kind is refused
	rules   bool // an invoice that does not add up is refused
	records bool // each exchange has a record
	replays bool // a repeated request is answered from its record
}

// provingSeries is one that no load has.
const provingSeries = maxConnections

// prove sends a few requests and says where the target does other than it promises.
func (p promises) prove(ctx context.Context, c *connection) error {
	s := newSeries(provingSeries)
	good := s.appendLot(nil, 1)
	answer, body, err := c.post(ctx, issuePath, good)
	if err != nil {
		return err
	}
	if err := s.checkApproved(body, 1); err != nil {
		return err
	}
	if recorded := answer.Header.Get("Wsfev1-Record") != ""; recorded != p.records {
		return fmt.Errorf("it has a record: %t", recorded)
	}
	if answer, _, err = c.post(ctx, issuePath, good); err != nil {
		return err
	}
	if replayed := answer.Header.Get("Wsfev1-Outcome") == "replayed"; replayed != p.replays {
		return fmt.Errorf("a repeated request is answered from its record: %t", replayed)
	}
	s.next++
	wrong := s.appendLot(nil, 1)
	refused, err := refuses(ctx, c, bytes.Replace(wrong, []byte("121.00"), []byte("122.00"), 1))
	if err != nil || refused != p.rules {
		return errors.Join(err, fmt.Errorf("an invoice that does not add up is refused: %t", refused))
	}
	s.next++
	wrong = s.appendLot(nil, 1)
	refused, err = refuses(ctx, c, bytes.Replace(wrong, []byte(`"Concepto":1`), []byte(`"Concepto":"1"`), 1))
	if err != nil || refused != p.shape {
		return errors.Join(err, fmt.Errorf("a member of a wrong kind is refused: %t", refused))
	}
	return nil
}

// refuses reports whether a request is refused, in the service's way or by its status.
func refuses(ctx context.Context, c *connection, body []byte) (bool, error) {
	answer, text, err := c.post(ctx, issuePath, body)
	if err != nil {
		return false, err
	}
	switch {
	case answer.StatusCode == http.StatusBadRequest:
		return true, nil
	case answer.StatusCode != http.StatusOK:
		return false, fmt.Errorf("status %d: %.300s", answer.StatusCode, text)
	}
	return bytes.Contains(text, []byte(`"Resultado":"R"`)), nil
}

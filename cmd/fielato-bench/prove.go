package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
)

// promises are what a target does with requests. A target that did less than its name
// promises would look fast.
type promises struct {
	shape   bool // a member of a wrong kind is refused
	rules   bool // an invoice that does not add up is refused
	records bool // each exchange has a record
	replays bool // a repeated request is answered from its record
	shows   bool // the console shows that record
	syncs   bool // when an answer comes, it is on the disk, behind its request
}

// provingSeries is one that no load has.
const provingSeries = maxConnections

// prove sends a few requests and returns an error if the target breaks a promise. The folder is
// the target's.
func (p promises) prove(ctx context.Context, c *connection, f *form, folder string) error {
	s := newSeries(provingSeries)
	good := f.appendLot(s, nil, 1)
	got, err := c.post(ctx, f, good)
	if err != nil {
		return err
	}
	if err := s.checkApproved(f, got.body, 1); err != nil {
		return err
	}
	kept, err := onDisk(floorFile(folder), good, got.body)
	if err != nil {
		return err
	}
	if kept != p.syncs {
		return fmt.Errorf("request and answer are on the disk: %t", kept)
	}
	record := got.header.Get("Wsfev1-Record")
	if recorded := record != ""; recorded != p.records {
		return fmt.Errorf("it has a record: %t", recorded)
	}
	if got, err = c.get(ctx, consolePath+"/exchange/"+record); err != nil {
		return err
	}
	if shown := got.status == http.StatusOK && bytes.Contains(got.body, []byte(record)); shown != p.shows {
		return fmt.Errorf("the console shows the record: %t", shown)
	}
	if got, err = c.post(ctx, f, good); err != nil {
		return err
	}
	if replayed := got.header.Get("Wsfev1-Outcome") == "replayed"; replayed != p.replays {
		return fmt.Errorf("a repeated request is answered from its record: %t", replayed)
	}
	s.next++
	wrong := f.appendLot(s, nil, 1)
	refused, err := refuses(ctx, c, f, bytes.Replace(wrong, []byte("121.00"), []byte("122.00"), 1))
	if err != nil {
		return err
	}
	if refused != p.rules {
		return fmt.Errorf("an invoice that does not add up is refused: %t", refused)
	}
	s.next++
	wrong = f.appendLot(s, nil, 1)
	refused, err = refuses(ctx, c, f, f.wrongKind(wrong))
	if err != nil {
		return err
	}
	if refused != p.shape {
		return fmt.Errorf("a member of a wrong kind is refused: %t", refused)
	}
	return nil
}

// refuses reports whether a request is refused, in the service's way or by its status.
func refuses(ctx context.Context, c *connection, f *form, body []byte) (bool, error) {
	got, err := c.post(ctx, f, body)
	if err != nil {
		return false, err
	}
	switch {
	case got.status == f.refused:
		return true, nil
	case got.status != http.StatusOK:
		return false, fmt.Errorf("status %d: %.300s", got.status, got.body)
	}
	return bytes.Contains(got.body, []byte(strings.Replace(f.approved, "A", "R", 1))), nil
}

// onDisk reports whether a file has a request, and behind it its answer.
func onDisk(file string, request, answer []byte) (bool, error) {
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading what was kept: %w", err)
	}
	_, rest, found := bytes.Cut(content, request)
	return found && bytes.Contains(rest, answer), nil
}

package proving

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/internal/timestamp"
)

// stampObject is a time-stamp for programs.
type stampObject struct {
	// Records is how many are under the checkpoint that was stamped.
	Records   uint64 `json:"records"`
	Time      string `json:"time"`
	Authority string `json:"authority"`
	// Verified: the signature leads to a root that was given.
	Verified bool   `json:"authority_verified"`
	Document string `json:"document"`
	Reply    string `json:"reply"`
}

// stamping tells of the time-stamps that were found.
type stamping struct {
	stamps []stampObject
	// unstamped is why the time-stamps that were asked for do not count, nil if they do.
	unstamped error
}

// errUnstamped: a time-stamp was asked for, and there is none by the authority.
var errUnstamped = errors.New("the authority has not stamped it")

// judge looks at the authority of each time-stamp. by is nil if none was asked for.
func (s *stamping) judge(by *timestamp.Authority, all ...evidence.CheckedStamp) {
	var last []byte
	for _, one := range all {
		if by != nil {
			if _, err := by.Open(one.Reply, one.Checkpoint); err != nil && s.unstamped == nil {
				s.unstamped = fmt.Errorf("%s: %w: %w", filepath.Join(one.Folder, timestamp.ReplyFile), errUnstamped, err)
			}
		}
		if bytes.Equal(last, one.Reply) {
			continue
		}
		last = one.Reply
		s.stamps = append(s.stamps, stampObject{
			one.Records, view.RFC3339(one.Time), one.Authority, by != nil,
			filepath.Join(one.Folder, timestamp.DocumentFile), filepath.Join(one.Folder, timestamp.ReplyFile),
		})
	}
	for i := range s.stamps {
		s.stamps[i].Verified = by != nil && s.unstamped == nil
	}
}

// judgeExport looks at the time-stamp of an export, nil for none.
func (s *stamping) judgeExport(by *timestamp.Authority, path string, stamp *export.Timestamp) {
	switch {
	case stamp != nil:
		s.judge(by, evidence.CheckedStamp{
			Folder: path, Checkpoint: stamp.Stamp.Checkpoint, Reply: stamp.Reply,
			Records: stamp.Checkpoint.Size, Time: stamp.Time, Authority: stamp.Authority,
		})
	case by != nil:
		s.unstamped = fmt.Errorf("%w: it has no time-stamp", errUnstamped)
	}
}

// judgeEvidence looks at the time-stamps of evidence. Those that are asked for have to be of each record.
func (s *stamping) judgeEvidence(by *timestamp.Authority, path string, checked *evidence.Checked) {
	var all []evidence.CheckedStamp
	for _, one := range checked.Stamps {
		if kindOf(path) != aZip { // it names the files in a zip file by their paths there
			one.Folder = filepath.Join(path, one.Folder)
		}
		all = append(all, one)
	}
	s.judge(by, all...)
	if by != nil && s.unstamped == nil && len(checked.Unstamped) > 0 {
		s.unstamped = fmt.Errorf("%s: %w: it has no time-stamp", checked.Unstamped[0], errUnstamped)
	}
}

// print writes the time-stamps for people.
func (s *stamping) print(w io.Writer) error {
	for _, one := range s.stamps {
		if _, err := fmt.Fprintf(w, "time-stamp: %s under it existed at %s, says %s; ", cli.CountOf(one.Records, "record"), one.Time, printable.OneLine(one.Authority)); err != nil {
			return err
		}
		said := "verified with the roots that were given"
		if !one.Verified {
			said = fmt.Sprintf("whether that is the authority is not verified: give --timestamp-roots, or use openssl ts -verify -data %s -in %s -CAfile ROOTS", one.Document, one.Reply)
		}
		if _, err := fmt.Fprintln(w, said); err != nil {
			return err
		}
	}
	return nil
}

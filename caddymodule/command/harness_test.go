package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

// result is what a command printed and how it ended.
type result struct {
	out, errs string
	err       error
}

// run runs `fielato wsfev1 …` in this process.
func run(arguments ...string) result { return execute(append([]string{"wsfev1"}, arguments...)) }

// complete asks what a shell offers after `fielato wsfev1 …`.
func complete(arguments ...string) result {
	return execute(append([]string{"__complete", "wsfev1"}, arguments...))
}

func execute(arguments []string) (r result) {
	var stdout, stderr bytes.Buffer
	r.err = executeOn(&stdout, &stderr, arguments)
	r.out, r.errs = stdout.String(), stderr.String()
	return r
}

func executeOn(stdout, stderr io.Writer, arguments []string) error {
	fielato := &cobra.Command{Use: "fielato", SilenceUsage: true, SilenceErrors: true}
	root := &cobra.Command{Use: "wsfev1", Long: caddycmd.Commands()["wsfev1"].Long}
	fielato.AddCommand(root)
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	fielato.SetIn(strings.NewReader(""))
	fielato.SetOut(stdout)
	fielato.SetErr(stderr)
	fielato.SetArgs(arguments)
	return fielato.Execute()
}

// words runs a command of words without blanks in them.
func words(line string) result { return run(strings.Fields(line)...) }

// status returns the exit status. Caddy keeps a status above 1 in an error of its own.
func (r result) status() int {
	switch {
	case r.err == nil:
		return 0
	case endsWithStatus(r.err, 2):
		return 2
	}
	return 1
}

func endsWithStatus(err error, status int) bool {
	if err == nil {
		return false
	}
	if err.Error() == fmt.Sprintf("exiting with status %d", status) {
		return true
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			if endsWithStatus(one, status) {
				return true
			}
		}
		return false
	}
	return endsWithStatus(errors.Unwrap(err), status)
}

const (
	logName = "gateway-1"
	issuer  = wsfev1.CUIT(20111111112)
)

// recordedAt is when the exchanges of a trail began.
var recordedAt = time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC)

// exchange is an approved invoice.
func exchange() *audit.Record {
	return &audit.Record{
		Kind: audit.KindExchange, Time: recordedAt, Cuit: issuer,
		Operation: "FECAESolicitar", Decision: "forward", Outcome: "approved", Certainty: audit.Answered,
		Request: []byte(`{"a":"request"}`), RequestLength: 15, Answer: []byte(`{"an":"answer"}`), AnswerLength: 15,
	}
}

// trailOf makes a trail of these records and returns its path.
func trailOf(t *testing.T, records ...*audit.Record) (path string) {
	t.Helper()
	return trailNamed(t, logName, records...)
}

// trailNamed makes a trail of these records in a log of this name and returns its path.
func trailNamed(t *testing.T, log string, records ...*audit.Record) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audit.db")
	store, err := auditsqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	key := audittest.Key(t, log)
	for name, value := range map[string]string{"log-name": log, "verifier-key": key.Verifier(), "fingerprint-key": strings.Repeat("k", 32)} {
		if _, err := store.Secret(t.Context(), name, func() ([]byte, error) { return []byte(value), nil }); err != nil {
			t.Fatal(err)
		}
	}
	trail, err := audit.Open(t.Context(), store, log, key, audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	for _, record := range records {
		if _, err := trail.Append(t.Context(), record); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

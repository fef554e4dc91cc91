// Package starts makes the records by which a trail names the program that writes it.
//
// It is a package of its own because it knows the program and no trail: a trail outlives configurations and has
// much else to do.
package starts

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/version"
)

// Record returns the record of a start in a log. Its request describes the program as JSON. The error says why it
// lacks the program's digest; the record is complete but for that.
func Record(log string, now time.Time) (*audit.Record, error) {
	program, missing := version.ReadProgram()
	r, err := record(log, &program, now)
	return r, errors.Join(missing, err)
}

func record(log string, program *version.Program, now time.Time) (*audit.Record, error) {
	// A setting of the build may be a path in any bytes.
	text, err := json.Marshal(program, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	host, _ := os.Hostname()
	detail := "start: Fielato " + program.Version
	if program.SHA256 != "" {
		detail += ", program sha256:" + program.SHA256
	}
	return &audit.Record{
		Kind: audit.KindAccess, ID: rand.Text(), Time: now, Node: log, Outcome: audit.AccessStart,
		ClientIdentity: "fielato on " + host, Detail: detail,
		Request: text, RequestDigest: sha256.Sum256(text), RequestLength: int64(len(text)),
	}, err
}

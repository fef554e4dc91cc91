package trail

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/version"
)

// logStart records which program writes from now on, once for each time that the process opens the trail. A
// reload goes on with the same program.
func (t *Trail) logStart(now time.Time) error {
	if t.started.Swap(true) {
		return nil
	}
	program, err := version.ReadProgram()
	if err != nil {
		trailLogger().Warn("the record of this start does not have the digest of the program", zap.String("log", t.Log), zap.Error(err))
	}
	r, err := startRecord(t.Log, &program, now)
	if err == nil {
		_, err = t.Append(r, nil)
	}
	if err != nil {
		t.started.Store(false)
		return fmt.Errorf("recording the start of the gateway: %w", err)
	}
	return nil
}

// startRecord returns the record of a start. Its request is the program as JSON.
func startRecord(log string, program *version.Program, now time.Time) (*audit.Record, error) {
	text, err := json.Marshal(program, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	detail := "start: Fielato " + program.Version
	if program.SHA256 != "" {
		detail += ", program sha256:" + program.SHA256
	}
	return &audit.Record{
		Kind: audit.KindAccess, ID: rand.Text(), Time: now, Node: log, Outcome: audit.AccessStart,
		ClientIdentity: "fielato on " + host, Detail: detail,
		Request: text, RequestDigest: sha256.Sum256(text), RequestLength: int64(len(text)),
	}, nil
}

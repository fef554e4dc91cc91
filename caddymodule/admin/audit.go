package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// shownAudit is how the admin API shows the trails of the running configuration: counts and
// heads, never the content of a record.
type shownAudit struct {
	// Node is the name of the host.
	Node string     `json:"node"`
	Logs []shownLog `json:"logs"`
}

type shownLog struct {
	// Log is the log's name, Records its size. The name is empty if the log is not open.
	Log     string `json:"log"`
	Records uint64 `json:"records"`
	// PendingOutcomes is the number of records in the backlog: outcomes, and with on_failure
	// forward all others too. With on_failure refuse, nothing is sent before they are written.
	PendingOutcomes int64 `json:"pending_outcomes"`
	// OpenIntents counts the intents without an outcome, running requests included.
	// OpenIntentsWhole: the whole log was searched, not only its newest records.
	OpenIntents      int  `json:"open_intents"`
	OpenIntentsWhole bool `json:"open_intents_whole"`
	// Degraded: records cannot be written. Problem is why.
	Degraded bool   `json:"degraded"`
	Problem  string `json:"problem"`
	// Checkpoint is the newest one, a signed note. PublicKey verifies it and the proofs of
	// records.
	Checkpoint string `json:"checkpoint"`
	PublicKey  string `json:"public_key"`
	// Outages are the present ones, in which the service does not answer.
	Outages []outage.Shown `json:"outages,omitempty"`
	// Kept are the places to which checkpoints are published.
	Kept []checkpoint.ShownDestination `json:"checkpoint_to,omitempty"`
	// Cosigned is the newest checkpoint that a quorum of witnesses has cosigned, with their lines.
	Cosigned  string                  `json:"cosigned_checkpoint,omitempty"`
	Witnesses []cosigned.ShownWitness `json:"witnesses,omitempty"`
	// Timestamp is the newest time-stamp, and how its authority answers.
	Timestamp *timestamped.ShownTimestamp `json:"timestamp,omitempty"`
}

// adminPatience bounds how long a request to the admin API waits for a store.
const adminPatience = 2 * time.Second

// serveAudit answers /wsfev1/audit.
func serveAudit(a *app.App, w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), adminPatience)
	defer cancel()
	node, err := os.Hostname()
	if err != nil {
		return adminError(http.StatusInternalServerError, fmt.Errorf("reading the host's name: %w", err))
	}
	shown := shownAudit{Node: node}
	trail.In(a).Each(ctx, func(t *trail.Trail, err error) {
		if err != nil {
			shown.Logs = append(shown.Logs, shownLog{Degraded: true, Problem: err.Error()})
			return
		}
		open, whole := t.OpenIntents()
		one := shownLog{
			Log: t.Log, Records: t.Size(), PendingOutcomes: t.Backlog(), OpenIntents: open, OpenIntentsWhole: whole,
			Cosigned: string(t.Cosigned().Newest()), Witnesses: cosigned.Shown(ctx, a, t), Timestamp: timestamped.Shown(ctx, a, t),
			Checkpoint: string(t.Checkpoint()), PublicKey: t.Verifier(), Kept: checkpoint.Shown(ctx, a, t), Outages: t.Outages(),
		}
		if err := t.Problem(time.Now()); err != nil {
			one.Degraded, one.Problem = true, err.Error()
		}
		shown.Logs = append(shown.Logs, one)
	})
	return writeAdmin(w, shown)
}

// errStopping: the process waits for its last exchanges.
var errStopping = errors.New("the process is stopping: it accepts no new requests")

// serveReady answers /wsfev1/ready: 200 if every trail of the configuration is open and takes
// records, 503 if not, without a configuration, and while the process stops. Where every gateway
// forwards without a record, the trails need only be open. Caddy logs errors.
func serveReady(a *app.App, w http.ResponseWriter, r *http.Request) error {
	if caddy.Exiting() {
		return adminError(http.StatusServiceUnavailable, errStopping)
	}
	if trail.In(a) == nil {
		return adminError(http.StatusServiceUnavailable, errNoGateway)
	}
	ctx, cancel := context.WithTimeout(r.Context(), adminPatience)
	defer cancel()
	var problems []error
	trail.In(a).Each(ctx, func(t *trail.Trail, err error) {
		if err == nil {
			err = t.Ready(ctx, time.Now())
			if err != nil && !trail.In(a).FailsClosed {
				appLogger().Warn("ready, although the trail cannot be written: exchanges are forwarded without a record", zap.Error(err))
				err = nil
			}
		}
		problems = append(problems, err)
	})
	if err := errors.Join(problems...); err != nil {
		return adminError(http.StatusServiceUnavailable, err)
	}
	return writeAdmin(w, map[string]bool{"ready": true})
}

// serveLive answers /wsfev1/live: a process that answers is alive.
func serveLive(_ *app.App, w http.ResponseWriter, _ *http.Request) error {
	return writeAdmin(w, map[string]bool{"live": true})
}

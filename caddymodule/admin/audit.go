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
	"github.com/fielato/fielato/caddymodule/checkpoint"
	"github.com/fielato/fielato/caddymodule/outage"
	"github.com/fielato/fielato/caddymodule/trail"
)

// shownAudit is how the admin API shows the trails of the configuration that runs:
// counts and heads, never what is in a record.
type shownAudit struct {
	// Node is the name of the host.
	Node string     `json:"node"`
	Logs []shownLog `json:"logs"`
}

type shownLog struct {
	// Log is the log's name, Records its size. No name if it is not open.
	Log     string `json:"log"`
	Records uint64 `json:"records"`
	// PendingOutcomes are the records that are owed to the trail: outcomes, and with
	// on_failure forward all others too. Where that is refuse, nothing is sent before
	// they are written.
	PendingOutcomes int64 `json:"pending_outcomes"`
	// OpenIntents have no outcome, those on their way included. OpenIntentsWhole
	// tells that the whole log was looked at, and not its newest records alone.
	OpenIntents      int  `json:"open_intents"`
	OpenIntentsWhole bool `json:"open_intents_whole"`
	// Degraded tells that records cannot be written, Problem why.
	Degraded bool   `json:"degraded"`
	Problem  string `json:"problem"`
	// Checkpoint is the newest one, a signed note; PublicKey is the key by which it, and
	// proofs of records, are checked.
	Checkpoint string `json:"checkpoint"`
	PublicKey  string `json:"public_key"`
	// Outages are those that last: the service does not answer.
	Outages []outage.Shown `json:"outages,omitempty"`
	// Kept tells of each place where checkpoints are kept besides.
	Kept []checkpoint.ShownDestination `json:"checkpoint_to,omitempty"`
}

// adminPatience bounds how long a question to the admin API waits for a store.
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
			Checkpoint: string(t.Checkpoint()), PublicKey: t.Verifier(), Kept: checkpoint.Shown(ctx, a, t), Outages: t.Outages(),
		}
		if err := t.Problem(time.Now()); err != nil {
			one.Degraded, one.Problem = true, err.Error()
		}
		shown.Logs = append(shown.Logs, one)
	})
	return writeAdmin(w, shown)
}

// errStopping is about a process whose sites wait for the last exchanges.
var errStopping = errors.New("the process stops: it takes no new requests")

// serveReady answers /wsfev1/ready: 200 if every trail of the configuration is open
// and takes records, 503 if not, and while the process stops. Where every gateway forwards
// without a record it need only be open. There may be no configuration. Caddy logs errors.
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

// serveLive answers /wsfev1/live: who can answer lives.
func serveLive(_ *app.App, w http.ResponseWriter, _ *http.Request) error {
	return writeAdmin(w, map[string]bool{"live": true})
}

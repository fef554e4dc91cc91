package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/outside"
)

// Options are a place where the newest checkpoint of a trail is published. It should be out
// of reach of those who can change the trail.
type Options struct {
	// To is a file, which is replaced whenever the checkpoint has changed, or an https URL
	// (http on this machine), to which it is posted as text/plain. Placeholders such as
	// {env.NAME} are replaced when the configuration is loaded.
	//
	// A file is a witness: when the gateway starts, and before the file is replaced, the
	// trail must still hold all records that the checkpoint in it covers.
	To string `json:"to"`

	// Interval is how often the gateway checks for a new checkpoint, 1s at least. Default: 1m.
	Interval caddy.Duration `json:"interval,omitempty"`
}

// MinInterval is the shortest Interval.
const (
	defaultInterval = time.Minute
	MinInterval     = time.Second
)

// Destination is where checkpoints are published: a file or a URL.
type Destination interface {
	// id identifies the destination. It is written nowhere: it may hold credentials.
	id() string
	// shared reports whether several trails may publish there.
	shared() bool
	// address names the destination for people, without credentials.
	address() string
	// Check compares the trail with what was published there, before anything is issued. Errors
	// wrap audit.ErrUnsound if the trail is not a continuation of it.
	Check(ctx context.Context, of Source) error
	// Look returns an error if Check would, as far as that shows without the trail. made is a folder that the
	// start makes, with those that lead there, before it checks; empty for none.
	Look(made string) error
	// publish puts the trail's newest checkpoint there and returns it. It fails as Check does.
	publish(ctx context.Context, of Source) ([]byte, error)
}

// Source is a log whose checkpoints are published.
type Source interface {
	// Checkpoint returns the newest checkpoint, a signed note.
	Checkpoint() []byte
	// Verifier returns the public key of the log.
	Verifier() string
	// Continues returns an error that wraps audit.ErrUnsound unless the log holds at newer
	// all that it held at older.
	Continues(ctx context.Context, older, newer audit.Checkpoint) error
}

// Resolve reads the options. Errors do not repeat them: an address may hold credentials.
func (o Options) Resolve() (Destination, error) {
	value, err := directive.Resolve(o.To)
	if err != nil {
		return nil, fmt.Errorf("checkpoint_to: %w", err)
	}
	value = strings.TrimSpace(value)
	switch {
	case value == "":
		return nil, errors.New("checkpoint_to: give a file or an https URL")
	case o.Interval != 0 && time.Duration(o.Interval) < MinInterval:
		return nil, fmt.Errorf("checkpoint_to: the interval %s is too short: give at least %s", time.Duration(o.Interval), MinInterval)
	case strings.Contains(value, "://"):
		return newURLDestination(value)
	}
	path, err := filepath.Abs(value)
	if err != nil {
		return nil, fmt.Errorf("checkpoint_to %s: %w", value, err)
	}
	return &fileDestination{path}, nil
}

// Every returns Interval or its default.
func (o Options) Every() time.Duration {
	if o.Interval == 0 {
		return defaultInterval
	}
	return time.Duration(o.Interval)
}

func newURLDestination(text string) (Destination, error) {
	target, err := url.Parse(text)
	if err != nil || target.Host == "" {
		return nil, errors.New("checkpoint_to: this is not a URL: write https://HOST/PATH")
	}
	local := target.Hostname() == "localhost" || net.ParseIP(target.Hostname()).IsLoopback()
	if target.Scheme != "https" && (target.Scheme != "http" || !local) {
		return nil, errors.New("checkpoint_to: give an https URL (http for this machine alone), or a file")
	}
	return &urlDestination{target: target, client: outside.NewClient()}, nil
}

package cosigned

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/outside"
	"github.com/fielato/fielato/internal/cosignature"
)

// Options are a witness that cosigns the checkpoints of a trail.
type Options struct {
	// Key is the public key of the witness, `<name>+<hash>+<key>`. Placeholders such as `{env.NAME}` are replaced
	// when the configuration is loaded.
	Key string `json:"key"`

	// URL is the submission prefix of the witness, http or https: `/add-checkpoint` is added to it. Placeholders such
	// as `{env.NAME}` are replaced when the configuration is loaded.
	URL string `json:"url"`

	// Interval is how often the witness is asked if there is a new checkpoint, 1s at least. Default: 1m.
	Interval caddy.Duration `json:"interval,omitempty"`
}

const (
	defaultInterval = time.Minute
	// MinInterval is the shortest Interval.
	MinInterval = time.Second
)

// Witness is a witness that can be asked.
type Witness struct {
	verifier *cosignature.Verifier
	target   *url.URL
	every    time.Duration
	client   *http.Client
}

// Name returns the name in the witness's key.
func (w *Witness) Name() string { return w.verifier.Name() }

// address leaves out all that may be secret: user, path and query.
func (w *Witness) address() string { return w.target.Scheme + "://" + w.target.Host }

// Check returns an error if the options cannot be used, as far as that shows before placeholders are replaced.
func (o Options) Check() error {
	if o.Interval != 0 && time.Duration(o.Interval) < MinInterval {
		return fmt.Errorf("witness: the interval %s is too short: give at least %s", time.Duration(o.Interval), MinInterval)
	}
	if !strings.Contains(o.Key, "{") {
		if _, err := cosignature.ParseVerifier(o.Key); err != nil {
			return fmt.Errorf("witness: %w", err)
		}
	}
	if !strings.Contains(o.URL, "{") {
		if _, err := parseURL(o.URL); err != nil {
			return err
		}
	}
	return nil
}

// resolve reads the options. Errors do not repeat the URL, which may hold credentials.
func (o Options) resolve() (*Witness, error) {
	key, err := directive.Resolve(o.Key)
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	address, err := directive.Resolve(o.URL)
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	resolved := Options{Key: strings.TrimSpace(key), URL: strings.TrimSpace(address), Interval: o.Interval}
	if err := resolved.Check(); err != nil {
		return nil, err
	}
	w := &Witness{every: time.Duration(o.Interval), client: outside.NewClient()}
	if w.every == 0 {
		w.every = defaultInterval
	}
	if w.verifier, err = cosignature.ParseVerifier(resolved.Key); err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	w.target, err = parseURL(resolved.URL)
	return w, err
}

func parseURL(text string) (*url.URL, error) {
	target, err := url.Parse(text)
	if err != nil || target.Host == "" || target.Scheme != "https" && target.Scheme != "http" {
		return nil, errors.New("witness: after the public key comes the URL of the witness: write https://HOST or https://HOST/PATH")
	}
	if target.RawQuery != "" || target.Fragment != "" {
		return nil, errors.New("witness: the URL of a witness has no query and no fragment: write https://HOST or https://HOST/PATH")
	}
	return target, nil
}

package timestamped

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/outside"
	"github.com/fielato/fielato/internal/timestamp"
)

// Options are a time-stamping authority that stamps the checkpoints of a trail.
type Options struct {
	// URL is where the authority takes queries (RFC 3161), https, or http on this machine. Placeholders such as
	// `{env.NAME}` are replaced when the configuration is loaded.
	URL string `json:"url,omitempty"`

	// Roots is a PEM file with the certificates to which the authority's must lead. It is read when the configuration
	// is loaded.
	Roots string `json:"roots,omitempty"`

	// Interval is how often the gateway checks if there is a new checkpoint, 1s at least. Default: 1h.
	Interval caddy.Duration `json:"interval,omitempty"`

	// Policy is the identifier of the policy under which the authority must stamp. Default: any.
	Policy string `json:"policy,omitempty"`
}

const (
	defaultInterval = time.Hour
	// MinInterval is the shortest Interval.
	MinInterval = time.Second
)

// Authority is a time-stamping authority that can be asked.
type Authority struct {
	trusted *timestamp.Authority
	roots   []*x509.Certificate // of trusted
	target  *url.URL
	every   time.Duration
	client  *http.Client
	// limit bounds one request.
	limit time.Duration
}

// address leaves out all that may be secret: user, path and query.
func (a *Authority) address() string { return a.target.Scheme + "://" + a.target.Host }

// Check returns an error if the options cannot be used, as far as that shows before placeholders are replaced.
func (o Options) Check() error {
	if o.Interval != 0 && time.Duration(o.Interval) < MinInterval {
		return fmt.Errorf("timestamp: the interval %s is too short: give at least %s", time.Duration(o.Interval), MinInterval)
	}
	if o.Policy != "" {
		if _, err := timestamp.ParsePolicy(o.Policy); err != nil {
			return fmt.Errorf("timestamp_policy: %w", err)
		}
	}
	if !strings.Contains(o.URL, "{") {
		_, err := parseURL(o.URL)
		return err
	}
	return nil
}

// Resolve reads the options, and the file with the roots. It returns nil if there is no authority. Errors do not repeat
// the URL, which may hold credentials.
func (o Options) Resolve() (*Authority, error) {
	if o == (Options{}) {
		return nil, nil
	}
	if o.URL == "" {
		return nil, errors.New("timestamp_policy: there is no authority: add one with timestamp, or remove timestamp_policy")
	}
	address, err := directive.Resolve(o.URL)
	if err != nil {
		return nil, fmt.Errorf("timestamp: %w", err)
	}
	resolved := o
	resolved.URL = strings.TrimSpace(address)
	if err := resolved.Check(); err != nil {
		return nil, err
	}
	a := &Authority{trusted: &timestamp.Authority{}, every: time.Duration(o.Interval), client: outside.NewClient(), limit: requestTime}
	if a.every == 0 {
		a.every = defaultInterval
	}
	if o.Policy != "" {
		if a.trusted.Policy, err = timestamp.ParsePolicy(o.Policy); err != nil {
			return nil, fmt.Errorf("timestamp_policy: %w", err)
		}
	}
	if a.target, err = parseURL(resolved.URL); err != nil {
		return nil, err
	}
	if a.roots, err = readRoots(o.Roots); err != nil {
		return nil, err
	}
	a.trusted.Roots = timestamp.Pool(a.roots)
	return a, nil
}

func parseURL(text string) (*url.URL, error) {
	target, err := url.Parse(text)
	if err != nil || target.Host == "" {
		return nil, errors.New("timestamp: first comes the URL of the authority: write https://HOST/PATH")
	}
	local := target.Hostname() == "localhost" || net.ParseIP(target.Hostname()).IsLoopback()
	if target.Scheme != "https" && (target.Scheme != "http" || !local) {
		return nil, errors.New("timestamp: give an https URL (http for this machine alone)")
	}
	return target, nil
}

// readRoots reads the file with the root certificates.
func readRoots(written string) ([]*x509.Certificate, error) {
	if written == "" {
		return nil, errors.New("timestamp: behind the URL comes the PEM file with the authority's root certificates")
	}
	path, err := directive.ResolvePath(written)
	if err != nil {
		return nil, fmt.Errorf("timestamp: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("timestamp: reading the root certificates: %w", directive.ErrorOfFile(err))
	}
	roots, err := timestamp.ParseRoots(text)
	if err != nil {
		return nil, fmt.Errorf("timestamp: the file %s: %w", path, err)
	}
	return roots, nil
}

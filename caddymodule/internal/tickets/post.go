package tickets

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/legacytls"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/client/overhttp"
)

const (
	// loginWithin is how long a login takes at most. The authority's service answers within some
	// seconds, and at times within half a minute.
	loginWithin = time.Minute
	// connectWithin is how long it takes to connect, and then to agree on TLS.
	connectWithin = 15 * time.Second
)

// TLS is how a login service is asked.
type TLS struct {
	// CA is the file of the authorities one of which must have issued the service's certificate; the
	// system's do not count then. Empty for the system's.
	CA string
	// Legacy also offers cipher suites without forward secrecy: legacy_tls.
	Legacy bool
	// Options are how the user writes both, for errors.
	Options legacytls.Options
}

// TLSOptions are the options of the block wsaa.
var TLSOptions = legacytls.Options{Legacy: "legacy_tls on", Trust: "tls_ca"}

// NewClient returns what asks a login service by HTTP.
func NewClient(by TLS) (*http.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if by.Legacy {
		config.CipherSuites = legacytls.Suites()
	}
	if by.CA != "" {
		text, err := os.ReadFile(by.CA)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", by.Options.Trust, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s %s: there is no certificate in it: give the authority's in PEM", by.Options.Trust, by.CA)
		}
	}
	return &http.Client{
		Timeout: loginWithin,
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: connectWithin}).DialContext, TLSHandshakeTimeout: connectWithin,
			TLSClientConfig: config, ForceAttemptHTTP2: true, DisableKeepAlives: true, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// NewPost returns the function that sends a message by HTTP: see NewClient.
func NewPost(by TLS) (client.Post, error) {
	to, err := NewClient(by)
	if err != nil {
		return nil, err
	}
	post := overhttp.Post(to)
	return func(ctx context.Context, message client.Message) (client.Reply, error) {
		reply, err := post(ctx, message)
		if cure := legacytls.Cure(err, by.Legacy, by.Options); cure != "" {
			return client.Reply{}, fmt.Errorf("%w: %s", err, cure)
		}
		if err != nil {
			return client.Reply{}, fmt.Errorf("%w: check the address, the network and its firewall; no proxy of the environment is used", err)
		}
		return reply, nil
	}, nil
}

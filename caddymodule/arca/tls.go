package arca

import (
	"errors"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/legacytls"
)

// TLSOptions are the options of wsfev1_arca that mend a handshake.
var TLSOptions = legacytls.Options{Legacy: "legacy_tls on", Trust: "tls_trust_pool file <pem>", Client: "tls_client_auth <certificate> <key>"}

// handshakeWithin is how long a handshake may take, unless the option tls_timeout says otherwise.
const handshakeWithin = 15 * time.Second

// limitHandshake sets the limit of handshakes. Caddy has none: a firewall that swallows them would hold each request,
// and all behind it in its series, until the deadline of the operation, though nothing was sent.
func (t *Transport) limitHandshake() {
	if t.TLS != nil && t.TLS.HandshakeTimeout == 0 {
		t.TLS.HandshakeTimeout = caddy.Duration(handshakeWithin)
	}
}

// offerLegacy adds the suites of legacy_tls to the transport's own.
func (t *Transport) offerLegacy() error {
	if t.TLS == nil || t.Transport.TLSClientConfig == nil {
		return errors.New("legacy_tls is on, but the service's address is not https")
	}
	t.Transport.TLSClientConfig.CipherSuites = legacytls.Suites()
	t.logger.Warn(legacytls.Warning)
	return nil
}

// explain adds the cure to an error of TLS.
func (t *Transport) explain(err error) error {
	if cure := legacytls.Cure(err, t.LegacyTLS, TLSOptions); cure != "" {
		return fmt.Errorf("%w: %s", err, cure)
	}
	return err
}

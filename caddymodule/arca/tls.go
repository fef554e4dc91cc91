package arca

import (
	"errors"
	"fmt"

	"github.com/fielato/fielato/caddymodule/internal/legacytls"
)

// TLSOptions are the options of wsfev1_arca that mend a handshake.
var TLSOptions = legacytls.Options{Legacy: "legacy_tls on", Trust: "tls_trust_pool file <pem>"}

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

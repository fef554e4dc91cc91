package arca

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
)

// legacySuites are what is offered with legacy_tls, in addition to what Go offers: the suites with
// a key exchange by RSA. Of those that the authority's older servers have, DHE is none that Go
// knows (docs/sources.md#soap).
var legacySuites = []uint16{
	tls.TLS_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_RSA_WITH_AES_128_CBC_SHA,
	tls.TLS_RSA_WITH_AES_256_CBC_SHA,
}

// LegacySuites returns what is offered with legacy_tls.
func LegacySuites() (suites []uint16) {
	for _, suite := range tls.CipherSuites() {
		suites = append(suites, suite.ID)
	}
	return append(suites, legacySuites...)
}

// offerLegacy adds the suites of legacy_tls to those of the transport.
func (t *Transport) offerLegacy() error {
	if t.TLS == nil || t.Transport.TLSClientConfig == nil {
		return errors.New("legacy_tls is on, but the service's address is not https")
	}
	t.Transport.TLSClientConfig.CipherSuites = LegacySuites()
	t.logger.Warn("legacy_tls is on: cipher suites without forward secrecy are offered to the service; turn it off once the service has better ones")
	return nil
}

// explain adds the cure to an error of TLS.
func (t *Transport) explain(err error) error {
	if cure := TLSCure(err, t.LegacyTLS); cure != "" {
		return fmt.Errorf("%w: %s", err, cure)
	}
	return err
}

// TLSCure returns what to do about an error of TLS, empty for any other error. legacy: legacy_tls is on.
func TLSCure(err error, legacy bool) string {
	var authority x509.UnknownAuthorityError
	switch alert := alertOf(err); {
	case alert == "tls: handshake failure", alert == "tls: insufficient security level":
		if legacy {
			return "the service has no cipher suite that Go knows, not even with legacy_tls: put a program that terminates TLS in between"
		}
		return "the service has no cipher suite that Go offers by default: try legacy_tls on"
	case alert == "tls: protocol version not supported":
		return "the service has no version of TLS from 1.2 on"
	case errors.As(err, &authority):
		return "name the authority's certificate with tls_trust_pool file <pem>"
	}
	return ""
}

// alertOf returns the text of the alert with which a server has ended a handshake, empty for any
// other error. Go shows alerts by their texts alone.
func alertOf(err error) string {
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "remote error" {
		return failed.Err.Error()
	}
	return ""
}

package legacytls

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"slices"
)

// legacySuites are offered with legacy_tls, in addition to the suites that Go offers. Their key exchange is
// by RSA. The authority's older servers have suites with DHE too, which Go does not know
// (docs/sources.md#soap).
var legacySuites = []uint16{
	tls.TLS_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_RSA_WITH_AES_128_CBC_SHA,
	tls.TLS_RSA_WITH_AES_256_CBC_SHA,
}

// Suites returns the suites to offer with legacy_tls.
func Suites() (suites []uint16) {
	for _, suite := range tls.CipherSuites() {
		suites = append(suites, suite.ID)
	}
	return append(suites, legacySuites...)
}

// Warning is logged where legacy_tls is on.
const Warning = "legacy_tls is on: cipher suites without forward secrecy are offered to the service; turn it off once the service has better ones"

// Options are how the user writes the options that mend a handshake.
type Options struct {
	// Legacy turns legacy_tls on, and Trust names the authority of the server's certificate.
	Legacy, Trust string
	// Client names a certificate of this side, empty if there can be none.
	Client string
}

// certificateAlerts are those by which a server refuses the certificate of this side, or misses one. Read without a
// cure they seem to be about the server's.
var certificateAlerts = []string{
	"tls: bad certificate", "tls: unsupported certificate", "tls: revoked certificate", "tls: expired certificate",
	"tls: unknown certificate", "tls: unknown certificate authority", "tls: certificate required",
}

// Cure returns what to do about an error of TLS, empty for any other error. on: legacy_tls is on.
func Cure(err error, on bool, by Options) string {
	var authority x509.UnknownAuthorityError
	switch alert := alertOf(err); {
	case by.Client != "" && RefusesClient(err):
		return "the service refuses the certificate of the gateway, or wants one: give one that it accepts with " + by.Client
	case alert == "tls: handshake failure", alert == "tls: insufficient security level":
		cure := "the service has no cipher suite that Go offers by default: try " + by.Legacy
		if on {
			cure = "the service has no cipher suite that Go knows, not even with legacy_tls: put a program that terminates TLS in between"
		}
		if by.Client != "" { // before TLS 1.3 the same alert says so
			cure += "; or it wants a certificate of the gateway: give one with " + by.Client
		}
		return cure
	case alert == "tls: protocol version not supported":
		return "the service has no version of TLS from 1.2 on"
	case errors.As(err, &authority):
		return "name the authority's certificate with " + by.Trust
	}
	return ""
}

// RefusesClient reports whether a server has ended a handshake because of the certificate of this side, or because it
// misses one.
func RefusesClient(err error) bool { return slices.Contains(certificateAlerts, alertOf(err)) }

// alertOf returns the text of the alert with which a server has ended a handshake, empty for any
// other error. Go shows alerts by their texts alone.
func alertOf(err error) string {
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "remote error" {
		return failed.Err.Error()
	}
	return ""
}

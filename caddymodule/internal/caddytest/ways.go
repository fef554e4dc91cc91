package caddytest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
)

// FarSide is the authority's side: a service that speaks SOAP and takes nothing but tickets of its
// own login service, in a process of its own, and the relay of the fleet in front of both. It
// speaks TLS.
//
// The service is the built-in one behind a gateway of its own, which recovers nothing. Where the
// service hangs, that gateway soon gives up: it would keep the series until then.
type FarSide struct {
	*Fleet
	// Login is the login service as it is reached through the relay.
	Login *Login
	// Authority is the file with the certificate of the relay.
	Authority string

	address, ledger string
	process         *ServiceProcess
}

// StartFarSide starts the service with the ledger, a line of its block such as "sqlite <path>", its faults
// and options of its login service. environment has the variables that the ledger needs.
func StartFarSide(t *testing.T, invoices int, ledger, faults, login string, environment ...string) *FarSide {
	t.Helper()
	address := FreeAddress(t)
	a := &FarSide{Fleet: newSecureFleet(t, address, invoices), address: address, ledger: ledger}
	a.Authority = a.Fleet.Authority()
	a.Login = &Login{URL: a.Relay.URL}
	a.Login.Certificate, a.Login.Key = WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{
		Subject: wsaatest.Subject(IssuerOf(0).String(), "fielato"), From: time.Now().Add(-time.Hour), Until: time.Now().AddDate(1, 0, 0),
	}))
	folder := t.TempDir()
	a.process = StartReady(t, Quietly+fmt.Sprintf(`http://%s {
	bind %s
	wsfev1_wsaa {
		key %s
		represents %s
		%s
	}
	wsfev1 {
		audit sqlite %s
		recover off
		replay off
		cache off
		breaker off
		upstream_timeout 300ms
	}
	wsfev1_backend {
		ledger %s
		fault_seed %d
		tickets strict
		%s
	}
}
`, address, Loopback, filepath.Join(folder, "login.key"), issuers(), login, filepath.Join(folder, "far.db"), ledger, OnceSeed, faults), environment...)
	return a
}

// issuers are the issuers of all series, the certificate's first.
func issuers() string {
	var all []string
	for series := 0; series < onceSeries; series += 2 {
		all = append(all, IssuerOf(series).String())
	}
	return strings.Join(all, " ")
}

// Wsaa is the option of a gateway that gives its clients the ticket of this side.
func (a *FarSide) Wsaa(lines ...string) string {
	return a.Login.Block(append(lines, "cuits "+issuers(), "tls_ca "+a.Authority)...)
}

// Next is the handler that leads to this side.
func (a *FarSide) Next(lines ...string) string {
	return "wsfev1_arca " + a.Relay.URL + " {\n\t\t" + strings.Join(append(lines, "tls_trust_pool file "+a.Authority), "\n\t\t") + "\n\t}"
}

// NextJSON is Next with messages in JSON, which the gateway of this side speaks too.
func (a *FarSide) NextJSON() string {
	return "reverse_proxy " + a.Relay.URL + " {\n\t\ttransport http {\n\t\t\ttls_trust_pool file " + a.Authority + "\n\t\t}\n\t}"
}

// Calm ends the service and starts one with the same ledger that makes no mistakes, for Verify.
func (a *FarSide) Calm(t *testing.T, environment ...string) {
	t.Helper()
	a.process.End()
	StartReady(t, Quietly+ServiceOn(a.address, a.ledger, ""), environment...)
}

package login

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/wsaa"
)

// resultGranted is the result of a login that succeeded. The result of any other login is the
// code of its fault.
const resultGranted = "granted"

var logins = metrics.Counters("wsfev1_wsaa_logins_total",
	"Logins that the built-in login service has answered, by result: granted, or the code of the fault.",
	[]string{"result"}, metrics.Singly(results()...))

func results() []string {
	return append([]string{resultGranted, wsaa.NoSOAPAction, wsaa.UserException}, wsaa.FaultCodes()...)
}

// Collectors returns the collectors of wsfev1_wsaa.
func Collectors() []prometheus.Collector { return []prometheus.Collector{logins} }

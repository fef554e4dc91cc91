package arca

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
)

// How a request got its connection.
const (
	connectionNew    = "new"
	connectionReused = "reused"
	connectionFailed = "failed"
)

// readWords are what answers are called in metrics.
var readWords = map[binding.LegRead]string{
	binding.LegAnswered: "answered", binding.LegRefused: "refused", binding.LegFailed: "failed", binding.LegUnread: "unread",
}

var (
	connections = metrics.Counters("wsfev1_soap_connections_total",
		"Connections that requests to a SOAP service got, by how: new, reused, or failed.",
		[]string{"result"}, metrics.Singly(connectionNew, connectionReused, connectionFailed))
	answers = metrics.Counters("wsfev1_soap_answers_total",
		"Answers of a SOAP service: answered, refused for the message, failed, or unread because they are none.",
		[]string{"read"}, metrics.Singly("answered", "refused", "failed", "unread"))
)

// Collectors returns the collectors of the transport.
func Collectors() []prometheus.Collector { return []prometheus.Collector{connections, answers} }

// send sends a request and counts its connection.
func (t *Transport) send(r *http.Request) (*http.Response, error) {
	var got, reused atomic.Bool // the hook may run on another goroutine
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		got.Store(true)
		reused.Store(info.Reused)
	}})
	answer, err := t.HTTPTransport.RoundTrip(r.WithContext(ctx))
	result := connectionNew
	switch {
	case !got.Load():
		result = connectionFailed
	case reused.Load():
		result = connectionReused
	}
	connections.WithLabelValues(result).Inc()
	return answer, err // reverse_proxy tells a dial error by its type
}

package arca

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// maxHealth bounds the answer to FEDummy, in bytes.
const maxHealth = 64 << 10

// checkHealth answers a health check of reverse_proxy, whatever it asks for: 200 if the service
// answers FEDummy with three times OK, otherwise 503.
func (t *Transport) checkHealth(r *http.Request) (*http.Response, error) {
	op := wsfev1.OperationByName("FEDummy")
	text, err := soap.AppendRequest(nil, t.version, op, op.NewRequest())
	if err != nil {
		return nil, fmt.Errorf("writing FEDummy: %w", err)
	}
	m := &message{op: op, version: t.version, length: len(text), leg: new(binding.UpstreamLeg)}
	out := t.request(m, r)
	out.Body = io.NopCloser(strings.NewReader(string(text)))
	answer, err := t.send(out)
	if err != nil {
		return nil, t.explain(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxHealth))
	if err != nil {
		return nil, fmt.Errorf("reading the answer to FEDummy: %w", err)
	}
	if answer.StatusCode == http.StatusOK && isHealthy(op, body) {
		return with(answer, http.StatusOK, "text/plain", []byte("OK\n")), nil
	}
	return with(answer, http.StatusServiceUnavailable, "text/plain", []byte("FEDummy: not OK\n")), nil
}

func isHealthy(op *wsfev1.Operation, body []byte) bool {
	answer, err := soap.Parse(op, body, "")
	if err != nil || answer.Fault != nil || len(answer.Findings) > 0 {
		return false
	}
	servers, ok := answer.Body.(*wsfev1.FEDummyAnswer)
	return ok && servers.AppServer == "OK" && servers.DbServer == "OK" && servers.AuthServer == "OK"
}

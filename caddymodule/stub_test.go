package caddymodule_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stub is an upstream that counts its requests and keeps the last one.
type stub struct {
	*httptest.Server
	hits atomic.Int64

	mu     sync.Mutex // guards body and header
	body   []byte
	header http.Header
}

// newStub starts an upstream that answers with handle.
func newStub(t testing.TB, handle http.HandlerFunc) *stub {
	t.Helper()
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.hits.Add(1)
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.body, s.header = body, r.Header.Clone()
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *stub) last() ([]byte, http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.body, s.header
}

// answering answers every request alike.
func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// proxyTo is the next handler that forwards.
func proxyTo(upstream string, options ...string) string {
	return fmt.Sprintf("reverse_proxy %s {\n\t\t%s\n\t}", upstream, strings.Join(options, "\n\t\t"))
}

// eventually waits for something that another goroutine brings about.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	within(t, time.Minute, what, holds)
}

// within is eventually with another patience.
func within(t testing.TB, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("never happened: %s", what)
		case <-tick.C:
		}
	}
}

// invoice returns a FECAESolicitar of one class B invoice that adds up.
func invoice(number int) string { return invoiceOf(number, "") }

// invoiceOf puts more members into the invoice.
func invoiceOf(number int, more string) string {
	return fmt.Sprintf(`{%s,"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[`+
		`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":%[2]d,"CbteHasta":%[2]d,"ImpTotal":121.00,"ImpTotConc":0,`+
		`"ImpNeto":100.00,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21.00,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,`+
		`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]}%[3]s}]}}}`, authText, number, more)
}

// approval is a stub's answer to invoice(1).
const approval = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120120000","CantReg":1,` +
	`"Resultado":"A","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,` +
	`"CbteHasta":1,"CbteFch":"20261120","Resultado":"A","CAE":"86470000000001","CAEFchVto":"20261130"}]}}`

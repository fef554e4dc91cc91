package gateway_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// wantFault holds an answer to be a fault of a version, whose text begins with a code, and whose
// detail has the code and the record's address.
func wantFault(t *testing.T, version soap.Version, got caddytest.Response, status int, code string) {
	t.Helper()
	if got.Status != status || got.Header.Get("Content-Type") != version.MediaType() {
		t.Errorf("SOAP %s: %d %v, want %d\n%s", version, got.Status, got.Header, status, got.Body)
		return
	}
	fault := parsed(t, "FEDummy", got).Fault
	if fault == nil || !strings.HasPrefix(fault.Text, code+": ") {
		t.Errorf("SOAP %s: want %s\n%s", version, code, got.Body)
		return
	}
	detail := map[string]string{}
	for _, d := range fault.Detail {
		detail[d.Name] = d.Text
	}
	if record := got.Header.Get("Wsfev1-Record"); detail["Error"] != code || detail["Record"] != record {
		t.Errorf("SOAP %s: record %q, detail %v", version, record, detail)
	}
	if sent := strings.HasPrefix(got.Header.Get("Wsfev1-Outcome"), "un"); fault.Code == soap.Client && sent {
		t.Errorf("SOAP %s: the client is blamed\n%s", version, got.Body)
	}
}

// toPath changes the address of a request, as it is written.
func toPath(path string) func(*http.Request) {
	return func(r *http.Request) {
		u, err := url.Parse(r.URL.Scheme + "://" + r.URL.Host + path)
		if err != nil {
			panic(err) // the test's own
		}
		r.URL = u
	}
}

func withHeader(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// unsized takes the length from a request.
func unsized(r *http.Request) { r.ContentLength = -1 }

// TestRequestsThatAreNotAdmittedAreAnsweredInSOAP, whatever the letters of the path and before it.
func TestRequestsThatAreNotAdmittedAreAnsweredInSOAP(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "max_body 2KiB")
	large := strings.Repeat(" ", 4<<10)
	for name, test := range map[string]struct {
		body   string
		change func(*http.Request)
		status int
		code   string
	}{
		"too large":             {large, nil, 500, "http.body_too_large"},
		"too large, no length":  {large, unsized, 500, "http.body_too_large"},
		"method":                {"", func(r *http.Request) { r.Method = http.MethodPut }, 405, "http.method"},
		"deleted":               {"", func(r *http.Request) { r.Method = http.MethodDelete }, 405, "http.method"},
		"media type":            {"", withHeader("Content-Type", "text/xml, text/xml"), 415, "http.media_type"},
		"content coding":        {"", withHeader("Content-Encoding", "gzip"), 415, "http.content_coding"},
		"query":                 {"", toPath("/wsfev1/service.asmx?Token=x"), 500, "http.query"},
		"query without text":    {"", toPath("/wsfev1/service.asmx?"), 500, "http.query"},
		"slash after":           {"", toPath("/wsfev1/service.asmx/"), 404, "http.operation"},
		"two slashes":           {"", toPath("/wsfev1//service.asmx"), 404, "http.operation"},
		"escaped":               {"", toPath("/wsfev1/%73ervice.asmx"), 404, "http.operation"},
		"operation after":       {"", toPath("/WSFEv1/Service.asmx/FEDummy"), 404, "http.operation"},
		"operation before":      {"", toPath("/FEDummy/wsfev1/service.asmx"), 404, "http.operation"},
		"another service":       {"", toPath("/wsfexv1/service.asmx"), 404, "http.operation"},
		"in the JSON interface": {"", toPath("/api/wsfev1/service.asmx/x"), 404, "http.operation"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range soapVersions {
				change := []func(*http.Request){toPath("/Prueba/WSFEV1/service.ASMX")}
				if test.change != nil {
					change = append(change, test.change)
				}
				want := version
				got := s.Send(version, "FEDummy", test.body, change...)
				if test.code == "http.media_type" {
					want = soap.V11 // nothing tells which it is
				}
				wantFault(t, want, got, test.status, test.code)
			}
		})
	}
}

// TestBodiesThatDoNotArriveAreAnsweredInSOAP: one that is late, and one that is cut.
func TestBodiesThatDoNotArriveAreAnsweredInSOAP(t *testing.T) {
	s := startTimed(t, "read_body 200ms", "respond ok")
	for _, version := range soapVersions {
		conn, reader := connect(t, s)
		send := func(length string) {
			t.Helper()
			_, err := fmt.Fprintf(conn, "POST /wsfev1/service.asmx HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %s\r\n\r\n ", conn.RemoteAddr(), version.MediaType(), length)
			if err != nil {
				t.Fatal(err)
			}
		}
		send("2000000")
		wantFault(t, version, readRaw(t, reader), 500, "http.body_timeout")
		conn, reader = connect(t, s)
		send("20")
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		wantFault(t, version, readRaw(t, reader), 500, "http.body")
	}
}

// TestBusyGatewaysAnswerInSOAP: memory, places at the service and the turn of a series.
func TestBusyGatewaysAnswerInSOAP(t *testing.T) {
	u := caddytest.NewIssuing(t)
	release := u.Hold(t, 1)
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), "series_wait 20ms", "in_flight issuing 1 wait 20ms", "max_bodies 1MiB", "max_body 4MiB")
	first := caddytest.HeldRequest(t, s, u.Arrived)
	for _, version := range soapVersions {
		got := s.Call(version, "FECAESolicitar", caddytest.Invoice(2))
		wantFault(t, version, got, 500, "once.busy")
		another := strings.Replace(caddytest.Invoice(2), `"PtoVta":1`, `"PtoVta":2`, 1)
		got = s.Call(version, "FECAESolicitar", another)
		wantFault(t, version, got, 500, "gateway.in_flight")
		if got.Header.Get("Retry-After") == "" || got.Header.Get("Wsfev1-Outcome") != "busy" {
			t.Errorf("%v", got.Header)
		}
	}
	hold := func() { // of the memory for bodies that arrive, for as long as the server waits for more
		conn, _ := connect(t, s)
		sendRaw(t, conn, "FECompTotXRequest", "Content-Type: application/json\r\nContent-Length: 4000000\r\n")
		if _, err := io.CopyN(conn, spaces{}, 70<<10); err != nil {
			t.Fatal(err)
		}
	}
	hold()
	for _, version := range soapVersions {
		var got caddytest.Response
		caddytest.Eventually(t, "one is turned away", func() bool {
			hold()
			got = s.Send(version, "FEDummy", strings.Repeat(" ", 1<<20))
			return strings.Contains(string(got.Body), "gateway.bodies")
		})
		wantFault(t, version, got, 500, "gateway.bodies")
	}
	release()
	<-first
}

// TestTroubleIsAnsweredInSOAP: panics, a store that cannot be written, and an outage.
func TestTroubleIsAnsweredInSOAP(t *testing.T) {
	query := `{` + caddytest.AuthText + `,"PtoVta":1,"CbteTipo":6}`
	for name, test := range map[string]struct {
		start           func(t *testing.T) *caddytest.Site
		operation, body string
		code            string
	}{
		"a panic behind": {func(t *testing.T) *caddytest.Site { return caddytest.Start(t, "test_panic") }, "FECompUltimoAutorizado", query, "upstream.unknown"},
		"a panic within": {func(t *testing.T) *caddytest.Site {
			s := caddytest.StartFailing(t, "respond ok")
			s.Load(s.Config("audit failing\n\t\treplay on", "respond ok"))
			caddytest.SearchPanics.Store(true)
			t.Cleanup(func() { caddytest.SearchPanics.Store(false) })
			return s
		}, "FECAESolicitar", caddytest.Invoice(1), "internal"},
		"no record": {func(t *testing.T) *caddytest.Site {
			s := caddytest.StartFailing(t, "respond ok")
			caddytest.BreakDisk(true)
			t.Cleanup(func() { caddytest.BreakDisk(false) })
			return s
		}, "FECAESolicitar", caddytest.Invoice(1), "audit.unavailable"},
		"an outage": {func(t *testing.T) *caddytest.Site {
			u := caddytest.NewMoody(t)
			u.Set(true)
			s := caddytest.Start(t, caddytest.ProxyTo(u.URL), "breaker 3 rest 1m")
			for range 3 {
				s.Call(soap.V11, "FECAESolicitar", caddytest.Invoice(1))
			}
			return s
		}, "FECAESolicitar", caddytest.Invoice(1), "service.outage"},
	} {
		t.Run(name, func(t *testing.T) {
			s := test.start(t)
			for _, version := range soapVersions {
				got := s.Call(version, test.operation, test.body)
				wantFault(t, version, got, 500, test.code)
				if got.Header.Get("Wsfev1-Outcome") == "" {
					t.Errorf("%v", got.Header)
				}
			}
		})
	}
}

package gateway_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1/soap"
)

// hostileHeaders are a client's, each with a value that must not leave.
var hostileHeaders = strings.NewReplacer("\n", "\r\n").Replace(`Cookie: inner=1
Authorization: Basic aW5uZXI6aW5uZXI=
Proxy-Authorization: Basic aW5uZXI6aW5uZXI=
Proxy-Connection: keep-alive
Accept: application/json, inner/1
Accept-Language: inner
Accept-Encoding: br, inner
User-Agent: inner/1
Referer: http://inner.example/
Origin: http://inner.example
From: inner@example.com
Via: 1.1 inner.example
Forwarded: for=10.0.0.7;host=inner.example
X-Forwarded-For: 10.0.0.7
X-Forwarded-Host: inner.example
X-Forwarded-Proto: https
X-Forwarded-Port: 8443
X-Real-IP: 10.0.0.7
Client-IP: 10.0.0.7
True-Client-IP: 10.0.0.7
CF-Connecting-IP: 10.0.0.7
TE: trailers
Trailer: X-Inner
Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
Tracestate: inner=1
Baggage: inner=1
X-Request-Id: inner-1
X-Anything: inner
x_inner: inner
Cache-Control: no-cache
Pragma: no-cache
Upgrade-Insecure-Requests: 1
Content-Language: inner
Content-Disposition: inner
`)

// headersAt returns what a service got as the header of a request, its Host and trailers included.
func headersAt(r *http.Request) map[string][]string {
	all := maps.Clone(map[string][]string(r.Header))
	if len(r.Trailer) > 0 {
		all["Trailer"] = slices.Sorted(maps.Keys(r.Trailer))
	}
	all["Host"] = []string{r.Host}
	return all
}

// wantHeaders compares the headers that came with those that are meant to come. Of Content-Length only
// that it is there counts.
func wantHeaders(t *testing.T, what string, got map[string][]string, want map[string]string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(got))
	if wanted := slices.Sorted(maps.Keys(want)); !slices.Equal(names, wanted) {
		t.Errorf("%s: the service gets %q, want %q", what, names, wanted)
	}
	for name, value := range want {
		if text := strings.Join(got[name], ", "); name != "Content-Length" && text != value {
			t.Errorf("%s: %s is %q, want %q", what, name, text, value)
		}
	}
	for name, values := range got {
		if text := strings.Join(values, ", "); strings.Contains(text, "inner") || strings.Contains(text, "10.0.0.7") || strings.Contains(text, "Caddy") {
			t.Errorf("%s: %s: %s has left the network", what, name, text)
		}
	}
}

// TestOnlyAListOfHeadersLeavesToTheAuthority, whoever asks and whatever the client sends. The list is
// in docs/arca.md.
func TestOnlyAListOfHeadersLeavesToTheAuthority(t *testing.T) {
	service := newSOAPService(t)
	var mu sync.Mutex
	came := map[string]map[string][]string{} // by operation, the last
	front := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		_, operation, _ := strings.Cut(r.Header.Get("SOAPAction")+r.Header.Get("Content-Type"), "FEV1/")
		operation, _, _ = strings.Cut(operation, `"`)
		mu.Lock()
		came[operation] = headersAt(r)
		mu.Unlock()
		service.serve(w, r)
	})
	last := func(operation string) map[string][]string {
		mu.Lock()
		defer mu.Unlock()
		return came[operation]
	}
	s := caddytest.Start(t, toSOAP(front.URL, "health_uri /", "health_interval 20ms", "pass_headers X-Branch", "header_up X-Branch 7", "header_up X-Other 8"), caddytest.Exactly...)
	host := strings.TrimPrefix(front.URL, "http://")
	want := func(version soap.Version, operation string) map[string]string {
		all := map[string]string{
			"Accept": "text/xml", "Content-Length": "", "Content-Type": "text/xml; charset=utf-8", "Host": host,
			"Soapaction": `"` + soap.ActionPrefix + operation + `"`, "User-Agent": "Fielato", "X-Branch": "7", "Accept-Encoding": "gzip",
		}
		if version == soap.V12 {
			delete(all, "Soapaction")
			all["Accept"], all["Content-Type"] = "application/soap+xml", `application/soap+xml; charset=utf-8; action="`+soap.ActionPrefix+operation+`"`
		}
		return all
	}
	caddytest.Eventually(t, "the service was asked for its health", func() bool { return last("FEDummy") != nil })
	health := want(soap.V11, "FEDummy")
	delete(health, "X-Branch") // header_up is for requests of clients
	wantHeaders(t, "health check", last("FEDummy"), health)
	for i, face := range caddytest.Faces {
		post := func(operation, body string) {
			t.Helper()
			text := face.Write(s, operation, body)
			path, media := "/api/wsfev1/"+operation, "application/json"
			if face.IsSOAP {
				path, media = "/wsfev1/service.asmx", face.Version.MediaType()
			}
			conn, reader := connect(t, s)
			if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nSOAPAction: %q\r\n%s\r\n%s",
				path, strings.TrimPrefix(s.URL, "http://"), media, len(text), soap.ActionPrefix+operation, hostileHeaders, text); err != nil {
				t.Fatal(err)
			}
			if got := readRaw(t, reader); got.Status != 200 {
				t.Fatalf("%s, %s: %d %s", face.Name, operation, got.Status, got.Body)
			}
		}
		post("FECAESolicitar", caddytest.Invoice(2*i+1))
		wantHeaders(t, face.Name, last("FECAESolicitar"), want(face.Version, "FECAESolicitar"))
		service.failOnce(func(w http.ResponseWriter, carryOut func() []byte) {
			carryOut()
			w.WriteHeader(http.StatusBadGateway)
		})
		mu.Lock()
		delete(came, "FECompConsultar")
		mu.Unlock()
		post("FECAESolicitar", caddytest.Invoice(2*i+2))
		wantHeaders(t, face.Name+", the gateway's question", last("FECompConsultar"), want(soap.V11, "FECompConsultar"))
	}
}

// TestTheLoginServiceGetsTheHeadersOfAMessage: a login is the gateway's own, and says nothing of a client.
func TestTheLoginServiceGetsTheHeadersOfAMessage(t *testing.T) {
	login := caddytest.NewLogin(t, keptCuit)
	came := make(chan map[string][]string, 1)
	front := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case came <- headersAt(r):
		default:
		}
		body, _ := io.ReadAll(r.Body)
		reply, err := login.Post(r.Context(), client.Message{Body: body})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", wsaa.SOAP11.ContentType())
		w.WriteHeader(reply.Status)
		_, _ = w.Write(reply.Body)
	})
	login.URL = front.URL
	caddytest.Start(t, toSOAP(newSOAPService(t).URL), "ticket off", login.Block("cuits "+keptCuit))
	wantHeaders(t, "login", <-came, map[string]string{
		"Accept": "text/xml", "Content-Length": "", "Content-Type": "text/xml; charset=utf-8", "Host": strings.TrimPrefix(front.URL, "http://"),
		"Soapaction": `""`, "User-Agent": "Fielato", "Connection": "close",
	})
}

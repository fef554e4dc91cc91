package gateway_test

import (
	"context"
	"crypto/tls"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// startHTTP2 is start for clients that speak HTTP/2 without TLS.
func startHTTP2(t *testing.T, next string, options ...string) *caddytest.Site {
	t.Helper()
	s := caddytest.NewSite(t)
	s.Load(speaking(s, "protocols h1 h2 h2c", options, next))
	return s
}

// speaking is the configuration with an option of Caddy's servers.
func speaking(s *caddytest.Site, server string, options []string, next string) string {
	return strings.Replace(s.Config(s.WithAudit(options...), next), "metrics\n}", "metrics\n\tservers {\n\t\t"+server+"\n\t}\n}", 1)
}

// http2Client sends all over one connection. Without a TLS configuration it speaks HTTP/2 at once.
func http2Client(t *testing.T, secure *tls.Config) *http.Client {
	t.Helper()
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(secure == nil)
	protocols.SetHTTP2(secure != nil)
	transport := &http.Transport{Protocols: protocols, TLSClientConfig: secure}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// over sends a request over HTTP/2.
func over(s *caddytest.Site, ctx context.Context, client *http.Client, operation, body string) (caddytest.Response, error) {
	r := s.Request(ctx, operation, body)
	if strings.HasPrefix(s.URL, "https:") {
		r.Host = "gateway.example"
	}
	resp, err := client.Do(r)
	if err != nil {
		return caddytest.Response{}, err
	}
	if resp.ProtoMajor != 2 {
		s.T.Errorf("answered with %s", resp.Proto)
	}
	return caddytest.ReadAll(resp)
}

// TestHTTP2CarriesManyStreams: a crowd of clients on one connection, on series of their own and
// on one that they share, with and without TLS. Each gets its answer, and again the same.
func TestHTTP2CarriesManyStreams(t *testing.T) {
	authority := caddytest.NewEdgeAuthority(t)
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %v", secure), func(t *testing.T) {
			s := caddytest.NewSite(t)
			config := speaking(s, "protocols h1 h2 h2c", caddytest.Exactly, caddytest.WithBackend(t))
			var trusted *tls.Config
			if secure {
				certificate, key := authority.Certify(t, pkix.Name{CommonName: "gateway"}, "gateway.example").Files(t)
				s.URL = strings.Replace(s.URL, "http:", "https:", 1)
				address := strings.TrimPrefix(s.URL, "https://")
				config = strings.Replace(config, "http://"+address+" {", "https://gateway.example:"+address[strings.LastIndex(address, ":")+1:]+" {\n tls "+certificate+" "+key, 1)
				trusted = &tls.Config{RootCAs: authority.Pool(), ServerName: "gateway.example", MinVersion: tls.VersionTLS12}
			}
			stopCaddy(t)
			s.Load(config)
			client := http2Client(t, trusted)
			streams := testrun.Full(t, 40, 100)
			codes := make([]string, streams)
			all := func(step func(n int)) {
				var clients sync.WaitGroup
				for n := range streams {
					clients.Go(func() { step(n) })
				}
				clients.Wait()
			}
			all(func(n int) { codes[n] = issueOverHTTP2(t, s, client, caddytest.LotText(n, 1, 1)) })
			all(func(n int) {
				if again := issueOverHTTP2(t, s, client, caddytest.LotText(n, 1, 1)); again != codes[n] || again == "" {
					t.Errorf("series %d: %s, and again %s", n, codes[n], again)
				}
			})
			shared := streams + 1
			all(func(n int) {
				if n < 40 {
					issueOverHTTP2(t, s, client, caddytest.LotText(shared, int64(n+1), 1))
				}
			})
			last, err := over(s, t.Context(), client, "FECompUltimoAutorizado", caddytest.LastText(shared))
			if err != nil || last.At(t, "/CbteNro") != "40" {
				t.Errorf("%v: %s, want 40 invoices", err, last.Body)
			}
			all(func(n int) {
				wrong := strings.Replace(caddytest.LotText(n, 2, 1), `"ImpTotal":121.00`, `"ImpTotal":7.00`, 1)
				if got, err := over(s, t.Context(), client, "FECAESolicitar", wrong); err != nil || !strings.Contains(string(got.Body), "10048") {
					t.Errorf("%v %d %s", err, got.Status, got.Body)
				}
			})
			stopCaddy(t, client)
			intents, outcomes := caddytest.Kinds(s.Records())
			if intents < streams+40 || intents != outcomes {
				t.Errorf("%d intents, %d outcomes", intents, outcomes)
			}
		})
	}
}

// IssueOver sends an invoice until it is approved: its number may not be the next one yet.
func issueOverHTTP2(t *testing.T, s *caddytest.Site, client *http.Client, body string) (code string) {
	t.Helper()
	for t.Context().Err() == nil {
		got, err := over(s, t.Context(), client, "FECAESolicitar", body)
		switch {
		case err != nil:
			t.Error(err)
			return ""
		case got.Status == http.StatusServiceUnavailable, strings.Contains(string(got.Body), "10016"):
			continue
		case got.At(t, "/FeCabResp/Resultado") != `"A"`:
			t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
			return ""
		}
		return got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE")
	}
	return ""
}

// TestHTTP2ClientsThatLeave reset their streams at any moment. What was sent is recorded, and
// a client that comes again gets its answer. Nothing is issued twice.
func TestHTTP2ClientsThatLeave(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s := startHTTP2(t, caddytest.ProxyTo(upstream.URL), caddytest.Exactly...)
	client := http2Client(t, nil)
	release := upstream.Hold(t, 1)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := over(s, ctx, client, "FECAESolicitar", caddytest.Invoice(1))
		left <- err
	}()
	<-upstream.Arrived
	leave()
	if err := <-left; err == nil {
		t.Error("it has not left")
	}
	release()
	random := rand.New(rand.NewPCG(caddytest.OnceSeed, 2))
	for number := 2; number <= 60; number++ {
		ctx, leave := context.WithTimeout(t.Context(), time.Duration(random.Int64N(int64(8*time.Millisecond))))
		_, _ = over(s, ctx, client, "FECAESolicitar", caddytest.Invoice(number))
		leave()
	}
	// Half of a body, and then nothing.
	for range 10 {
		ctx, leave := context.WithCancel(t.Context())
		half, rest := io.Pipe()
		r := s.Request(ctx, "FECAESolicitar", "")
		r.Body, r.ContentLength = half, int64(len(caddytest.Invoice(61)))
		go func() {
			_, _ = io.WriteString(rest, caddytest.Invoice(61)[:200])
			leave()
		}()
		if resp, err := client.Do(r); err == nil {
			_ = resp.Body.Close()
		}
		_ = rest.Close()
	}
	var numbers []int
	for number := 1; number <= 61; number++ {
		got, err := over(s, t.Context(), client, "FECAESolicitar", caddytest.Invoice(number))
		if err != nil || string(got.Body) != caddytest.ApprovalOf(number) || upstream.TimesAsked(number) != 1 {
			t.Errorf("invoice %d: %v %d %s, sent %d times", number, err, got.Status, got.Body, upstream.TimesAsked(number))
		}
		numbers = append(numbers, number)
	}
	stopCaddy(t, client)
	sent := slices.DeleteFunc(s.Records(), func(r *audit.Record) bool { return r.Decision == "replay" })
	caddytest.WantEachOnce(t, sent, numbers...)
}

// stopCaddy stops, and waits until the connections are gone too. Connections of HTTP/2 take a
// second to say farewell, for which Caddy does not wait.
func stopCaddy(t *testing.T, clients ...*http.Client) {
	t.Helper()
	for _, client := range clients {
		client.CloseIdleConnections()
	}
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
	caddytest.Eventually(t, "the end of the servers", func() bool {
		stacks := make([]byte, 4<<20)
		return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "net/http.(*Server).Shutdown")
	})
}

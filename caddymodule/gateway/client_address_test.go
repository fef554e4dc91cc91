package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestTheRecordHasTheClientsOwnAddress, whatever the client says of itself: only a
// trusted proxy is believed, and only an address.
func TestTheRecordHasTheClientsOwnAddress(t *testing.T) {
	const (
		peer    = "127.0.0.1"
		trusted = "trusted_proxies static 127.0.0.0/8 10.0.0.0/8"
		strict  = trusted + "\n trusted_proxies_strict"
		other   = trusted + "\n client_ip_headers X-Real-IP"
		foreign = "trusted_proxies static 192.0.2.0/24"
	)
	forwarded := func(value string) []string { return []string{"X-Forwarded-For", value} }
	s := caddytest.NewSite(t)
	for _, c := range []struct {
		options string
		header  []string
		want    string
	}{
		{"protocols h1", forwarded("203.0.113.7"), peer},
		{foreign, forwarded("203.0.113.7"), peer},
		{foreign, []string{"X-Real-IP", "203.0.113.7"}, peer},
		{foreign, []string{"Forwarded", "for=203.0.113.7"}, peer},
		{trusted, forwarded("203.0.113.7"), "203.0.113.7"},
		{trusted, forwarded("203.0.113.7:4711"), "203.0.113.7"},
		{trusted, forwarded("[2001:db8::7]:4711"), "2001:db8::7"},
		{trusted, forwarded("fe80::7%" + caddytest.Token), "fe80::7"},
		{trusted, forwarded("unknown, _hidden, 203.0.113.7"), "203.0.113.7"},
		{trusted, forwarded(`"level":"error"	` + caddytest.Token), peer},
		{trusted, forwarded("' OR 1=1 --, <script>, 999.1.1.1, 0x7f000001"), peer},
		{trusted, forwarded(strings.Repeat("x,", 100)), peer},
		{trusted, forwarded(""), peer},
		{strict, forwarded(strings.Repeat("203.0.113.7, ", 100) + "203.0.113.9"), "203.0.113.9"},
		{strict, forwarded("203.0.113.7, 203.0.113.9, 10.1.2.3, 10.1.2.4"), "203.0.113.9"},
		{strict, forwarded("10.1.2.3"), peer},
		{other, []string{"X-Real-IP", "203.0.113.7"}, "203.0.113.7"},
		{other, forwarded("203.0.113.7"), peer},
	} {
		stopCaddy(t)
		s.Load(speaking(s, c.options, nil, "respond `"+caddytest.Approval+"`"))
		r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
		r.Header.Set(c.header[0], c.header[1])
		if got := s.Do(r); got.Status != http.StatusOK {
			t.Errorf("%v: %d %s", c.header, got.Status, got.Body)
		}
		for _, record := range s.Records()[len(s.Records())-2:] {
			if record.ClientAddress != c.want {
				t.Errorf("%s with %.60q: %s has %q, want %q", c.options, c.header, record.Kind, record.ClientAddress, c.want)
			}
		}
	}
}

// TestProxyProtocolTellsTheClientsAddress where the proxy is trusted, and nowhere else.
func TestProxyProtocolTellsTheClientsAddress(t *testing.T) {
	s := caddytest.NewSite(t)
	for allowed, want := range map[string]string{"127.0.0.0/8": "203.0.113.7", "192.0.2.0/24": "127.0.0.1"} {
		for _, line := range []string{"PROXY TCP4 203.0.113.7 203.0.113.1 4711 80\r\n", "PROXY TCP6 2001:db8::7 2001:db8::1 4711 80\r\n"} {
			want := want
			if strings.Contains(line, "TCP6") && want != "127.0.0.1" {
				want = "2001:db8::7"
			}
			stopCaddy(t)
			s.URL = "http://" + caddytest.FreeAddress(t) // at the old one a listener that is closed late resets what connects
			s.Load(speaking(s, "listener_wrappers {\n proxy_protocol {\n allow "+allowed+"\n fallback_policy ignore\n }\n }", nil, "respond `"+caddytest.Approval+"`"))
			host := strings.TrimPrefix(s.URL, "http://")
			conn, err := (&net.Dialer{Timeout: time.Minute}).DialContext(t.Context(), "tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			body := caddytest.Invoice(1)
			_, err = io.WriteString(conn, line+fmt.Sprintf("POST /api/wsfev1/FECAESolicitar HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
				"X-Forwarded-For: 198.51.100.1\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", host, len(body), body))
			if err != nil {
				t.Fatal(err)
			}
			status, err := bufio.NewReader(conn).ReadString('\n')
			_ = conn.Close()
			if err != nil || !strings.HasPrefix(status, "HTTP/1.1 200") {
				t.Errorf("%q by %s: %v %s", line, allowed, err, status)
				continue
			}
			caddytest.Eventually(t, "a record", func() bool { return len(s.Records()) > 0 })
			if got := s.Last().ClientAddress; got != want {
				t.Errorf("%q by %s: recorded %q, want %q", line, allowed, got, want)
			}
		}
	}
}

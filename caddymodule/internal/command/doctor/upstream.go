package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/legacytls"
	"github.com/fielato/fielato/wsfev1"
)

// upstream is an address of the service, and how it is asked.
type upstream struct {
	dial, host string
	tls        *upstreamTLS
	// soap is nil for a service that speaks JSON.
	soap *soapService
}

// upstreamTLS is what matters here of a transport's tls.
type upstreamTLS struct {
	ServerName string         `json:"server_name"`
	Insecure   bool           `json:"insecure_skip_verify"`
	CA         jsontext.Value `json:"ca"`
}

// upstreamsOf reads the upstreams of a reverse_proxy. hosts are the names of its site.
func upstreamsOf(raw []byte, hosts []string) (all []upstream) {
	var proxy struct {
		Upstreams []struct {
			Dial string `json:"dial"`
		} `json:"upstreams"`
		Transport struct {
			soapService
			TLS *upstreamTLS `json:"tls"`
		} `json:"transport"`
		Headers struct {
			Request struct {
				Set map[string][]string `json:"set"`
			} `json:"request"`
		} `json:"headers"`
	}
	if json.Unmarshal(raw, &proxy) != nil {
		return nil
	}
	for _, to := range proxy.Upstreams {
		u := upstream{dial: to.Dial, host: to.Dial, tls: proxy.Transport.TLS, soap: proxy.Transport.service()}
		switch set := proxy.Headers.Request.Set["Host"]; {
		case len(set) > 0 && set[0] == "{http.reverse_proxy.upstream.host}":
			if host, _, err := net.SplitHostPort(to.Dial); err == nil {
				u.host = host
			}
		case len(set) > 0 && !strings.Contains(set[0], "{"):
			u.host = set[0]
		case len(set) == 0 && u.tls == nil && len(hosts) > 0:
			u.host = hosts[0]
		}
		all = append(all, u)
	}
	return all
}

const (
	askWithin = 10 * time.Second
	// maxAnswer bounds how many bytes of an answer to FEDummy are read.
	maxAnswer = 64 << 10
	maxSkew   = 5 * time.Second
)

// upstreamResults asks an upstream for FEDummy, and whether it has FECompConsultar.
func upstreamResults(ctx context.Context, u upstream) []result {
	check := "upstream"
	address, err := caddy.ParseNetworkAddress(u.dial)
	if err != nil || strings.Contains(u.dial, "{") {
		return []result{warn(check, "ask it with curl", "%s: the address is known only when a request comes", u.dial)}
	}
	got, err := ask(ctx, u, address, "FEDummy", "{}")
	if err != nil {
		return []result{unreached(check, u, err)}
	}
	all := []result{answered(check, u, got), clockResult(u, got.header, time.Now())}
	if all[0].Status != good || u.soap != nil { // the authority's service has all operations
		return all
	}
	// Its answer is that the ticket is not one. Only whether it has the operation counts.
	const nothing = `{"Auth":{"Token":"doctor","Sign":"doctor","Cuit":20111111112},"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`
	if got, err = ask(ctx, u, address, "FECompConsultar", nothing); err == nil && slices.Contains(lacking, got.status) {
		all = append(all, warn(check, "have the service answer FECompConsultar: without it, one lost answer blocks a series",
			"%s: status %d to FECompConsultar", u.dial, got.status))
	}
	return all
}

// lacking are the statuses of a service that does not have an operation.
var lacking = []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented}

// answer is what came for an operation.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask posts an operation. Nothing that it sends is secret.
func ask(ctx context.Context, u upstream, address caddy.NetworkAddress, operation, question string) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		to := address.JoinHostPort(0)
		if address.IsUnixNetwork() {
			to = address.Host
		}
		return new(net.Dialer).DialContext(ctx, address.Network, to)
	}}
	scheme := "http"
	if u.tls != nil {
		scheme = "https"
		transport.TLSClientConfig = &tls.Config{ServerName: u.tls.ServerName, InsecureSkipVerify: u.tls.Insecure} //nolint:gosec // as the configuration says
		if u.soap != nil && u.soap.Legacy {
			transport.TLSClientConfig.CipherSuites = legacytls.Suites()
		}
	}
	target := address.JoinHostPort(0)
	if address.IsUnixNetwork() {
		target = "localhost"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, scheme+"://"+target+wsfev1.PathPrefix+operation, strings.NewReader(question))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", userAgent)
	if u.soap != nil {
		if err := u.soap.askHealth(r); err != nil {
			return nil, err
		}
	}
	r.Host = u.host
	// A redirect is an answer: the gateway does not follow it either.
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return &answer{resp.StatusCode, resp.Header, body}, err
}

// answered says which service has answered.
func answered(check string, u upstream, got *answer) result {
	if dummy := u.readHealth(got.body); dummy.AppServer != "" && dummy.DbServer != "" && dummy.AuthServer != "" && got.status == http.StatusOK {
		for _, state := range []*string{&dummy.AppServer, &dummy.DbServer, &dummy.AuthServer} {
			*state = (*state)[:min(len(*state), 40)]
		}
		said := fmt.Sprintf("AppServer %s, DbServer %s, AuthServer %s", dummy.AppServer, dummy.DbServer, dummy.AuthServer)
		switch well := dummy.AppServer == "OK" && dummy.DbServer == "OK" && dummy.AuthServer == "OK"; {
		case got.header.Get("Wsfev1-Record") != "":
			return warn(check, "give the address of the service itself, unless two gateways on the way are meant",
				"%s: another Fielato gateway, whose service says %s", u.dial, said)
		case !well:
			return warn(check, "wait for the service: what it says is not OK cannot serve requests", "%s: the service, which says %s", u.dial, said)
		}
		return ok(check, "%s: the service, with %s", u.dial, said)
	}
	cure, kind := cureOf(got), kindOf(got.body)
	if u.soap != nil {
		cure, kind = "look at the address, and at the path of the service: it is "+u.soap.Path, "no answer to FEDummy in SOAP"
	}
	return bad(check, cure, "%s: not the service: status %d, %s, %d bytes, %s", u.dial, got.status,
		cmp.Or(got.header.Get("Content-Type"), "no content type"), len(got.body), kind)
}

func kindOf(body []byte) string {
	if jsontext.Value(body).IsValid() {
		return "JSON of another shape"
	}
	return "no JSON"
}

// cureOf guesses the mistake in the address.
func cureOf(got *answer) string {
	switch {
	case got.status == http.StatusOK && len(got.body) == 0:
		return "it has no site of the name that it was asked for: write header_up Host with the name of the service's site"
	case got.status == http.StatusNotFound:
		return "it has no /api/wsfev1/FEDummy: look at the address, and whether the service lies below another path"
	case got.status == http.StatusMisdirectedRequest:
		return "it has no site of that name: write header_up Host {upstream_hostport}"
	case got.status >= 300 && got.status < 400:
		return "it redirects: give the address to which it does, perhaps with https://"
	case got.status == http.StatusBadRequest && strings.Contains(string(got.body), "HTTP request to an HTTPS"):
		return "it speaks TLS: write https:// before the address"
	}
	return "look at the address: something else answers there"
}

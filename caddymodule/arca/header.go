package arca

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"golang.org/x/net/http/httpguts"

	"github.com/fielato/fielato/wsfev1/soap"
)

// The service is not the operator's own, so it gets a list of headers and nothing else: neither the
// client's addresses, names, cookies and traces, nor what reverse_proxy adds of them. Go's transport
// writes Content-Length and Host, and Accept-Encoding if its option compression allows that.

// userAgent is who asks.
const userAgent = "Fielato"

// header returns the headers of a message. from are the headers of reverse_proxy, of which the option
// pass_headers names some.
func (t *Transport) header(m *message, from http.Header) http.Header {
	media := m.version.MediaType()
	accepted, _, _ := strings.Cut(media, ";")
	action := `"` + soap.ActionPrefix + m.op.Name + `"`
	header := make(http.Header, 6)
	for _, name := range t.PassHeaders {
		if values := from.Values(name); len(values) > 0 {
			header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	if m.version == soap.V12 {
		media += "; action=" + action
	} else {
		header.Set("SOAPAction", action)
	}
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.Itoa(m.length))
	header.Set("Accept", accepted)
	header.Set("User-Agent", userAgent)
	return header
}

// hostOf returns the Host of a request to the service: what header_up has set, or the service's own
// address. The client's is a name of the operator's network.
func hostOf(r *http.Request) string {
	repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return r.Host
	}
	if asked, _ := repl.GetString("http.request.hostport"); r.Host == asked {
		return r.URL.Host
	}
	return r.Host
}

// ownHeaders are those that no option passes on: the transport writes them itself, or they are about
// the connection.
var ownHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Soapaction", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// checkHeaders checks the option pass_headers.
func (t *Transport) checkHeaders() error {
	for _, name := range t.PassHeaders {
		if !httpguts.ValidHeaderFieldName(name) {
			return fmt.Errorf("pass_headers %q: that is no name of a header", name)
		}
		if slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)) {
			return fmt.Errorf("pass_headers %s: the transport writes this header itself, or none", name)
		}
	}
	return nil
}

package login

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/wsaa"
)

// serveDescription answers with the WSDL if wsdl stands after ?, in any case, and with the page for
// browsers otherwise.
func (s *Service) serveDescription(w http.ResponseWriter, r *http.Request) error {
	media, text := "text/html; charset=utf-8", []byte(wsaa.Page)
	if asksForDescription(r) {
		address, host := s.address(r)
		media, text = "text/xml;charset=utf-8", wsaa.Description(host, address+wsaa.Path)
	}
	digest := sha256.Sum256(text)
	w.Header().Set("Content-Type", media)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, digest[:8]))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	return nil
}

func asksForDescription(r *http.Request) bool {
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		if strings.EqualFold(name, "wsdl") {
			return true
		}
	}
	return false
}

// address returns the address of the site that the client knows, and the host in it. What a proxy
// in front says is believed if it is a trusted one.
func (s *Service) address(r *http.Request) (address, host string) {
	if s.PublicURL != "" {
		address = strings.TrimSuffix(s.PublicURL, "/")
		_, host, _ = strings.Cut(address, "://")
		return address, host
	}
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool); trusted {
		if said := firstOf(r.Header.Get("X-Forwarded-Proto")); said == "http" || said == "https" {
			scheme = said
		}
		if said := firstOf(r.Header.Get("X-Forwarded-Host")); said != "" {
			host = said
		}
	}
	return scheme + "://" + host, host
}

// firstOf returns the first of several values.
func firstOf(header string) string {
	first, _, _ := strings.Cut(header, ",")
	return strings.TrimSpace(first)
}

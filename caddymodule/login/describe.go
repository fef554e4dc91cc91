package login

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/origin"
	"github.com/fielato/fielato/wsaa"
)

// serveDescription answers with the WSDL if wsdl stands after ?, in any case, and with the page for
// browsers otherwise.
func (s *Service) serveDescription(w http.ResponseWriter, r *http.Request) error {
	media, text := "text/html; charset=utf-8", []byte(wsaa.Page)
	if asksForDescription(r) {
		address, host := s.address(r)
		if s.PublicURL == "" {
			w.Header().Add("Vary", origin.Vary)
		}
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

// address returns the address of the site that the client knows, and the host in it.
func (s *Service) address(r *http.Request) (address, host string) {
	if s.PublicURL != "" {
		address = strings.TrimSuffix(s.PublicURL, "/")
		_, host, _ = strings.Cut(address, "://")
		return address, host
	}
	scheme, host := origin.Of(r)
	return scheme + "://" + host, host
}

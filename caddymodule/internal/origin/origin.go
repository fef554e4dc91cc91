package origin

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Vary names the headers by which the origin changes.
const Vary = "Host, X-Forwarded-Host, X-Forwarded-Proto"

// maxHost is the longest host that is believed, in bytes: a name of 253 and a port.
const maxHost = 260

// Of returns the scheme, http or https, and the host with its port, if it has one, by which the client
// reaches the site.
//
// They are the request's own, unless a proxy that Caddy trusts (trusted_proxies) says otherwise by
// X-Forwarded-Proto and X-Forwarded-Host. Of several values the first is the outermost proxy's, nearest to
// the client. One that is no scheme or no host counts for nothing. Forwarded and X-Forwarded-Port are not
// read, as by Caddy itself: a proxy that does not set them hands on the client's.
func Of(r *http.Request) (scheme, host string) {
	scheme, host = "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if trusted, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool); !trusted {
		return scheme, host
	}
	if said := strings.ToLower(first(r.Header["X-Forwarded-Proto"])); said == "http" || said == "https" {
		scheme = said
	}
	if said := first(r.Header["X-Forwarded-Host"]); isHost(said) {
		host = said
	}
	return scheme, host
}

// first returns the first of the values in the lines of a header, empty for none. Empty ones do not count:
// lists may have them.
func first(lines []string) string {
	for _, line := range lines {
		for value := range strings.SplitSeq(line, ",") {
			if value = strings.Trim(value, " \t"); value != "" {
				return value
			}
		}
	}
	return ""
}

// isHost reports whether a text is a name or an IP address, with or without a port.
func isHost(text string) bool {
	if text == "" || len(text) > maxHost {
		return false
	}
	name := text
	if strings.LastIndexByte(text, ':') > strings.LastIndexByte(text, ']') {
		var port string
		var err error
		if name, port, err = net.SplitHostPort(text); err != nil || !isPort(port) {
			return false
		}
		if strings.HasPrefix(text, "[") {
			name = "[" + name + "]"
		}
	}
	if inner, bracketed := strings.CutPrefix(name, "["); bracketed {
		inner, closed := strings.CutSuffix(inner, "]")
		ip, err := netip.ParseAddr(inner)
		return closed && err == nil && ip.Is6() && ip.Zone() == ""
	}
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) })
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._", r)
}

// IsOwnPage reports whether a browser says that a page of this site has sent a request. Every browser of today says
// so of a form, by Sec-Fetch-Site, or by Origin where the site is not reached by https. A request without either is
// from no page: a program can set Origin, which no page can do.
func IsOwnPage(r *http.Request) bool {
	if said, ok := r.Header["Sec-Fetch-Site"]; ok {
		return len(said) == 1 && said[0] == "same-origin"
	}
	said := r.Header["Origin"]
	scheme, host := Of(r)
	return len(said) == 1 && strings.EqualFold(said[0], scheme+"://"+host)
}

// IsEmbedded reports whether a browser says that a page of another site has asked for something without its user going
// there: as a picture, a script or a frame. Whom the browser knows, or where it stands, is no word of its user's then.
func IsEmbedded(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
	}
	return false
}

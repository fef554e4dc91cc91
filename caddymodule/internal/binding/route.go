package binding

import (
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// route is the path of an operation: {base}/api/wsfev1/<Operation>. The base is where the
// service has its interface, empty for the root.
type route struct{ base, Operation string }

// RouteOf parses a path. It reports false for every path that another program could read
// differently: the service would then carry out what was not judged and has no intent. So there
// is one prefix; no segment is empty, made of dots, or holds anything but unreserved characters
// (RFC 3986, 2.3); and the base names no operation. An accepted path can be sent as it is.
func RouteOf(u *url.URL) (route, bool) {
	if u.EscapedPath() != u.Path || !isPlain(u.Path) {
		return route{}, false
	}
	// A service may take letters of any case for the prefix. This one must be exact.
	at := indexFold(u.Path, wsfev1.PathPrefix)
	if at < 0 || !strings.HasPrefix(u.Path[at:], wsfev1.PathPrefix) {
		return route{}, false
	}
	r := route{base: u.Path[:at], Operation: u.Path[at+len(wsfev1.PathPrefix):]}
	return r, !strings.Contains(r.Operation, "/") && !NamesOperation(r.base, nil)
}

// indexFold returns where a text of ASCII stands in a path first, with letters of any case, and -1 where it does
// not.
func indexFold(path, text string) int {
	for at := range len(path) - len(text) + 1 {
		if strings.EqualFold(path[at:at+len(text)], text) {
			return at
		}
	}
	return -1
}

// Path returns the path that RouteOf has parsed.
func (r route) Path() string { return r.base + wsfev1.PathPrefix + r.Operation }

// isPlain reports whether a path means the same to every program that reads it.
func isPlain(path string) bool {
	rest, absolute := strings.CutPrefix(path, "/")
	if !absolute {
		return false
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if strings.Trim(segment, ".") == "" || strings.ContainsFunc(segment, isReserved) {
			return false
		}
	}
	return true
}

func isReserved(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("-._~", r)
}

// isPlainHost reports whether a Host is the name or the address of a server, with or without a
// port. The Host is passed on to the service, and reverse_proxy repeats it in a header.
func isPlainHost(host string) bool {
	return !NamesOperation(host, nil) &&
		!strings.ContainsFunc(host, func(r rune) bool { return r == '~' || isReserved(r) && !strings.ContainsRune("[:]", r) })
}

// NamesOperation reports whether a text contains the name of an operation other than but, in
// letters of any case.
func NamesOperation(text string, but *wsfev1.Operation) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i]|0x20 != 'f' || text[i+1]|0x20 != 'e' { // all names begin so
			continue
		}
		if slices.ContainsFunc(wsfev1.Operations, func(op *wsfev1.Operation) bool {
			return op != but && len(op.Name) <= len(text)-i && strings.EqualFold(op.Name, text[i:i+len(op.Name)])
		}) {
			return true
		}
	}
	return false
}

// nearestName returns the text where the operation's name should be, for the hint in a refusal.
func nearestName(u *url.URL) string {
	path := u.EscapedPath()
	at := strings.LastIndex(path, wsfev1.PathPrefix)
	if at < 0 {
		return ""
	}
	return path[at+len(wsfev1.PathPrefix):]
}

// maxDecoded is how often a text is taken for one that was percent-encoded once more.
const maxDecoded = 3

// PercentDecoded decodes the escapes of a text. A malformed escape is left as it is, as lenient
// programs do.
func PercentDecoded(text string) string {
	for range maxDecoded {
		if !strings.Contains(text, "%") {
			break
		}
		decoded := make([]byte, 0, len(text))
		for i := 0; i < len(text); i++ {
			var b [1]byte
			if text[i] == '%' && i+2 < len(text) {
				if _, err := hex.Decode(b[:], []byte(text[i+1:i+3])); err == nil {
					decoded = append(decoded, b[0])
					i += 2
					continue
				}
			}
			decoded = append(decoded, text[i])
		}
		text = string(decoded)
	}
	return text
}

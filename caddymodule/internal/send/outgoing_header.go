package send

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// Which of a client's headers go to the service. A list of those that may would lose what
// operators and services agree upon: keys, tenants, traces. So everything goes but what could
// make the service read the request in another way than the gateway has:
//
//   - what changes how the body travels or is sent again (notForwarded);
//   - what describes the body, or asks for an answer on a condition or for a part of it: the
//     gateway says Content-Type and Content-Length itself (describesBody);
//   - by its name, what gives another path, method, host or script than the request has
//     (rewritingWords, rewritingParts);
//   - whatever its name, what names another operation than the request is for (namesAnother).
//
// An operator who needs one of these sets it behind the gateway, with header_up.

// notForwarded are the headers that must not reach the upstream's transport:
// Accept-Encoding would bring an encoded answer; Incremental and Expect change
// how the body travels; an upgrade has no place here; what a trailer says nobody has judged; and
// Go's transport silently sends a POST again where it finds an Idempotency-Key. Proxy would be
// taken for the setting of one by scripts, and Forwarded names a host, which reverse_proxy does
// not correct as it does X-Forwarded-Host.
var notForwarded = []string{
	"accept-encoding", "incremental", "expect", "upgrade", "connection", "keep-alive", "http2-settings",
	"idempotency-key", "x-idempotency-key", "te", "trailer", "transfer-encoding", "proxy", "proxy-connection",
	"range", "forwarded",
}

// rewritingWords are what no part of a header's name between hyphens may be.
var rewritingWords = []string{
	"accel", "action", "authority", "destination", "host", "location", "original", "prefix", "redirect", "reproxy", "route",
	"script", "server", "soapaction", "target", "uri", "verb", "vhost", "wsfev1",
}

// rewritingParts are what must not stand anywhere in a header's name.
var rewritingParts = []string{"method", "override", "path", "rewrite", "sendfile", "send-file", "url"}

// commonHeaders are the headers of nearly every request. They are forwarded.
var commonHeaders = []string{
	"Accept", "Authorization", "Content-Length", "Content-Type", "Traceparent", "User-Agent", "X-Forwarded-For",
	"X-Forwarded-Host", // reverse_proxy writes it anew unless the client is a trusted proxy
	"X-Forwarded-Proto", "X-Request-Id",
}

// isForwarded reports whether a header of this name may go to the service.
func isForwarded(name string) bool {
	if slices.Contains(commonHeaders, name) {
		return true
	}
	// Services often take a hyphen, an underscore and a dot for the same.
	name = likeHyphens.Replace(strings.ToLower(name))
	if slices.Contains(notForwarded, name) || describesBody(name) {
		return false
	}
	for word := range strings.SplitSeq(name, "-") {
		if slices.Contains(rewritingWords, word) || strings.HasSuffix(word, "uri") {
			return false
		}
	}
	return !slices.ContainsFunc(rewritingParts, func(part string) bool { return strings.Contains(name, part) })
}

var likeHyphens = strings.NewReplacer("_", "-", ".", "-")

// describesBody reports whether a header is about the body or about the state of the requested
// resource. A digest stays: it is of the bytes that are sent.
func describesBody(name string) bool {
	if strings.HasPrefix(name, "content-") {
		return name != "content-digest" && name != "content-md5"
	}
	return strings.HasPrefix(name, "if-")
}

// namesAnother reports whether a header names an operation that the request is not for.
func (o *Outgoing) namesAnother(name string, values []string) bool {
	names := func(text string) bool { return binding.NamesOperation(binding.PercentDecoded(text), o.Operation) }
	return names(name) || slices.ContainsFunc(values, names)
}

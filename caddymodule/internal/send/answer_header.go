package send

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// notReturned are the headers of an answer that do not reach the client: those about the
// connection to the service or about trailers, and those that make a server in front of the
// gateway replace the answer that was recorded.
var notReturned = []string{
	"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings",
	"x-sendfile", "x-lighttpd-send-file", "x-reproxy-url",
}

// commonAnswerHeaders are the headers of nearly every answer. They are for the client.
var commonAnswerHeaders = []string{"Content-Type", "Content-Length", "Date", "Server", "Via", "Alt-Svc"}

// isReturned reports whether a header of an answer is for the client. The headers of another
// gateway behind this one are not: they name a record in another trail.
func isReturned(name string) bool {
	switch {
	case slices.Contains(commonAnswerHeaders, name):
		return true
	case strings.HasPrefix(name, http.TrailerPrefix):
		return false
	}
	name = likeHyphens.Replace(strings.ToLower(name))
	return !slices.Contains(notReturned, name) && !strings.HasPrefix(name, "wsfev1-") && !strings.HasPrefix(name, "x-accel-")
}

// answerHeader removes the headers that are not for the client from an answer.
func answerHeader(sent http.Header, body []byte) http.Header {
	for name := range sent {
		if !isReturned(name) {
			delete(sent, name)
		}
	}
	codings, types := sent["Content-Encoding"], sent["Content-Type"]
	if len(codings) == 0 && len(types) < 2 {
		return sent
	}
	isJSON := jsontext.Value(body).IsValid()
	if isJSON || !binding.IsEncoded(sent) {
		// The gateway has requested no coding. A body that is valid JSON has none, whatever its header says.
		delete(sent, "Content-Encoding")
	}
	if len(types) > 1 {
		sent["Content-Type"] = types[:1]
		if isJSON {
			sent["Content-Type"] = []string{"application/json"}
		}
	}
	return sent
}

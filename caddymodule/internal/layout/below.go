package layout

import (
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Below returns a request at a path or below it, and nil if it is for another path. The request has the path that the
// client asks for, also within handle_path, which hands on only the rest of the path: links in the answer lead back
// through it.
func Below(r *http.Request, base string) *http.Request {
	if isBelow(r.URL.Path, base) {
		return r
	}
	original, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request)
	if !ok || original.URL == nil || !isBelow(original.URL.Path, base) {
		return nil
	}
	whole := r.WithContext(r.Context())
	whole.URL = original.URL
	return whole
}

func isBelow(path, base string) bool { return path == base || strings.HasPrefix(path, base+"/") }

package gateway

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// outgoing returns the request for the next handler: the original bytes, but for what complete has
// added, with a URL and headers that agree with what was judged. Handlers behind the gateway may change all of it, as they
// are configured.
func (x *exchange) outgoing(ctx context.Context, body *binding.Body, length int) *http.Request {
	path := x.r.URL.Path // plain: binding.RouteOf accepts no other
	// reverse_proxy gives FastCGI the address of this one as REQUEST_URI.
	ctx = context.WithValue(ctx, caddyhttp.OriginalRequestCtxKey, http.Request{
		Method: http.MethodPost, RemoteAddr: x.r.RemoteAddr, RequestURI: path, URL: &url.URL{Path: path},
	})
	r := x.r.WithContext(ctx)
	r.Method = http.MethodPost
	r.URL = &url.URL{Path: path} // of its own: rewrite changes it in place, and queries start from x.r
	r.RequestURI = path
	r.Header = x.outgoingHeader(length)
	r.Trailer = nil // the body was read, so they are in it
	r.Body = body
	r.ContentLength = int64(length)
	r.TransferEncoding = nil
	r.GetBody = nil // with it, Go's transport may send a POST twice
	r.Close = false
	return r
}

// outgoingHeader returns the client's headers without those that are not for the service.
func (x *exchange) outgoingHeader(length int) http.Header {
	header := x.r.Header.Clone()
	for name, values := range header {
		if !isForwarded(name) || x.namesAnother(name, values) {
			delete(header, name)
		}
	}
	x.setTraceparent(header)
	header["Content-Type"] = []string{"application/json"}
	header["Content-Length"] = []string{strconv.Itoa(length)}
	return header
}

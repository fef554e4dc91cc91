package floor

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// directive is the handler's in a Caddyfile. It takes the file.
const directive = "bench_floor"

func init() {
	caddy.RegisterModule(&Handler{})
	httpcaddyfile.RegisterHandlerDirective(directive, func(d httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		h := &Handler{}
		if d.Next(); !d.Args(&h.File) {
			return nil, d.ArgErr()
		}
		return h, nil
	})
	httpcaddyfile.RegisterDirectiveOrder(directive, httpcaddyfile.Before, "reverse_proxy")
}

// Handler keeps a request on the disk before it is forwarded, and the answer before the client
// gets it. It does nothing else: no gateway that keeps evidence can do less.
type Handler struct {
	// File is where it appends both.
	File string `json:"file"`

	log     *groupLog
	answers sync.Pool // of *bytes.Buffer
}

// CaddyModule implements caddy.Module.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers." + directive, New: func() caddy.Module { return new(Handler) }}
}

// Provision opens the file.
func (h *Handler) Provision(caddy.Context) (err error) {
	h.answers.New = func() any { return new(bytes.Buffer) }
	h.log, err = openLog(h.File)
	return err
}

// Cleanup closes the file.
func (h *Handler) Cleanup() error {
	if h.log == nil {
		return nil
	}
	return h.log.close()
}

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	body, err := readBody(r)
	if err != nil {
		return caddyhttp.Error(http.StatusBadRequest, err)
	}
	if err := h.log.append(body); err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	buffer, _ := h.answers.Get().(*bytes.Buffer)
	defer h.answers.Put(buffer)
	buffer.Reset()
	answer := caddyhttp.NewResponseRecorder(w, buffer, func(int, http.Header) bool { return true })
	if err := next.ServeHTTP(answer, r); err != nil {
		return err
	}
	if err := h.log.append(buffer.Bytes()); err != nil {
		return err
	}
	return answer.WriteResponse()
}

// readBody reads a body in one piece if its length is known. The transport may read it after the
// handler has returned, so its memory cannot be used again.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength < 0 {
		return io.ReadAll(r.Body)
	}
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	return body, nil
}

// Caddyfile returns the directive with its file. The asterisk is its matcher: a path that stands first
// would be taken for one.
func Caddyfile(file string) string { return directive + " * " + file }

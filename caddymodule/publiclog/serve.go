package publiclog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/layout"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

const (
	// patience bounds a request.
	patience = 5 * time.Second
	// retryAfter is when to come again, in seconds.
	retryAfter = "2"
	// forGood is for what never changes.
	forGood = "public, max-age=31536000, immutable"
)

// reading lets two requests of the process at a time read stores: exchanges need the others of their connections.
var reading = make(chan struct{}, 2)

var (
	errBusy    = errors.New("others are reading: try again")
	errNoTrail = errors.New("this configuration has no wsfev1 whose log it could serve")
	// errUnreadable stands for an error that is nobody else's business.
	errUnreadable = errors.New("the log cannot be read at the moment: try again")
	errEntries    = errors.New("records are confidential: only checkpoints and hashes are served, no entries")
	errPath       = errors.New("ask for <log>/checkpoint, or <log>/tile/<L>/<N>[.p/<W>] as C2SP's tlog-tiles has it")
)

// ServeHTTP implements caddyhttp.MiddlewareHandler. A request for a path outside goes to the next handler.
func (l *Log) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	asked := layout.Below(r, l.base)
	if asked == nil {
		return next.ServeHTTP(w, r)
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, errors.New("use GET or HEAD"))
		return nil
	}
	log, path, err := split(asked.URL, l.base)
	if err == nil {
		err = l.answer(w, r, log, path)
	}
	switch {
	case err == nil:
	case errors.Is(err, errNoLog), errors.Is(err, errNoTile), errors.Is(err, errEntries), errors.Is(err, errPath):
		refuse(w, http.StatusNotFound, err)
	case errors.Is(err, errTwo):
		l.logger.Error("a log cannot be served", zap.String("log", log), zap.Error(err))
		refuse(w, http.StatusInternalServerError, err)
	default:
		if !errors.Is(err, errBusy) && r.Context().Err() == nil {
			l.logger.Warn("a log cannot be read at the moment", zap.String("log", log), zap.String("path", path), zap.Error(err))
		}
		w.Header().Set("Retry-After", retryAfter)
		refuse(w, http.StatusServiceUnavailable, errUnreadable)
	}
	return nil
}

// refuse answers with a sentence. Nobody keeps it: a log grows.
func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, err.Error(), status)
}

// split returns the name of a log and the path below it. The name is one segment of the path, percent-encoded; what
// follows has one spelling and no encoding.
func split(at *url.URL, base string) (log, path string, err error) {
	rest, ok := strings.CutPrefix(at.EscapedPath(), base+"/")
	segment, path, cut := strings.Cut(rest, "/")
	log, errName := url.PathUnescape(segment)
	switch {
	case !ok || !cut || log == "" || errName != nil:
		return "", "", errPath
	case path == "tile/entries" || strings.HasPrefix(path, "tile/entries/"):
		return "", "", errEntries
	}
	return log, path, nil
}

// answer serves a checkpoint or a tile.
func (l *Log) answer(w http.ResponseWriter, r *http.Request, log, path string) error {
	at, isTile := parseTile(path)
	if !isTile && path != "checkpoint" {
		return errPath
	}
	set := trail.In(l.app)
	if set == nil {
		return errNoTrail
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	content, err := l.read(ctx, set, log, at, isTile)
	if err != nil {
		return err
	}
	header := w.Header()
	if isTile {
		header.Set("Content-Type", "application/octet-stream")
		header.Set("Cache-Control", forGood)
	} else {
		header.Set("Content-Type", "text/plain; charset=utf-8")
		header.Set("Cache-Control", "no-cache")
	}
	digest := sha256.Sum256(content)
	header.Set("ETag", fmt.Sprintf(`"%x"`, digest[:16]))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return nil
}

// read returns a tile or the checkpoint.
func (l *Log) read(ctx context.Context, set *trail.Set, log string, at tileAt, isTile bool) (content []byte, err error) {
	select {
	case reading <- struct{}{}:
		defer func() { <-reading }()
	case <-ctx.Done():
		return nil, errBusy
	}
	err = set.Within(ctx, func(trails []*trail.Trail) error {
		s, err := l.find(ctx, trails, log)
		if err != nil {
			return err
		}
		if content = s.checkpoint(); isTile {
			content, err = l.tile(ctx, s, at)
		}
		return err
	})
	return content, err
}

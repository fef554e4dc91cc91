package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// serveReads answers /wsfev1/audit/reads: it records that a trail is about to be read or purged,
// durably before it answers.
func serveReads(a *app.App, w http.ResponseWriter, r *http.Request) error {
	var read trail.Read
	if err := readAdmin(w, r, &read); err != nil {
		return err
	}
	if err := read.Check(); err != nil {
		return adminError(http.StatusBadRequest, err)
	}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		read.Who = r.TLS.PeerCertificates[0].Subject.String() + ", as " + read.Who
	}
	ctx, cancel := context.WithTimeout(r.Context(), adminPatience)
	defer cancel()
	var done *trail.RecordedAt
	var failure, unopened error
	trail.In(a).Each(ctx, func(t *trail.Trail, err error) {
		if err != nil {
			unopened = err
			return
		}
		if t.Log != read.Log || t.Verifier() != read.PublicKey || done != nil {
			return
		}
		index, err := t.AppendRead(ctx, &read, adminClient(r))
		if err != nil {
			failure = errors.Join(failure, err)
			return
		}
		done = &trail.RecordedAt{Record: fmt.Sprintf("%s/%d", t.Log, index)}
	})
	switch {
	case done != nil:
		return writeAdmin(w, done)
	case failure != nil:
		return adminError(http.StatusServiceUnavailable, failure)
	case unopened != nil: // it may be this one: a start or a reload is under way
		return adminError(http.StatusServiceUnavailable, fmt.Errorf("a trail of this gateway is not open yet, ask again in a moment: %w", unopened))
	}
	return writeNotFound(w, fmt.Errorf("this gateway does not write the log %s with the key %s", read.Log, read.PublicKey))
}

// adminClient returns the IP address of the client, empty for a Unix socket.
func adminClient(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return strings.Trim(r.RemoteAddr, "@")
	}
	return host
}

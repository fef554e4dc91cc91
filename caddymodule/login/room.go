package login

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/wsaa"
)

// open has the holdings of the process's login services, by the file of the key.
var open = caddy.NewUsagePool()

// holdings are what outlives a configuration.
type holdings struct {
	issuer *wsaa.Issuer
	logins wsaa.Logins
	// failure is the fault that the admin API has set in place of the option fail, nil if it has
	// set nothing.
	failure atomic.Pointer[string]
}

// Close implements io.Closer: there is nothing to close.
func (*holdings) Close() error { return nil }

// room is the state that the handlers of a configuration share.
type room struct {
	file string
	*app.Handle[*holdings]
}

// roomKey is the key under which the handlers share the room.
type roomKey struct{}

// share returns the room of the configuration, with the key in a file. line is where the handler stands.
func share(a *app.App, option, line string, logger *zap.Logger) (*room, error) {
	file, err := keyFile(option)
	if err != nil {
		return nil, err
	}
	r := app.Shared(a, roomKey{}, func() *room {
		return &room{file, app.Lend(a, open, file, func() (*holdings, error) {
			held, err := openHoldings(file, logger)
			return held, directive.At(line, err)
		})}
	})
	if r.file != file {
		return nil, errors.New("key: another wsfev1_wsaa of this configuration has another key: all handlers share one")
	}
	return r, nil
}

// Publishes reports whether a login service that is already part of the configuration writes its
// certificate to a file when it starts. So it opens before all that is registered from now on.
func Publishes(a *app.App, file string) bool {
	r, ok := app.LookUp[*room](a, roomKey{})
	if !ok {
		return false
	}
	absolute, err := filepath.Abs(file)
	return err == nil && absolute == certificateFile(r.file)
}

func openHoldings(file string, logger *zap.Logger) (*holdings, error) {
	issuer, err := openIssuer(file)
	if err != nil {
		return nil, err
	}
	logger.Warn("this is the built-in login service, not ARCA's: only the built-in invoicing service accepts its tickets",
		zap.String("key", file), zap.String("certificate", certificateFile(file)))
	if err := publish(issuer, certificateFile(file)); err != nil {
		logger.Error("the certificate of the login service cannot be written: give its folder to the user of this process", zap.Error(err))
	}
	return &holdings{issuer: issuer}, nil
}

// Authority returns the certificate with which the tickets of the configuration's login service
// are verified, nil if it has none. It waits for the configuration to start, until ctx ends.
func Authority(ctx context.Context, a *app.App) (*x509.Certificate, error) {
	r, ok := app.LookUp[*room](a, roomKey{})
	if !ok {
		return nil, nil
	}
	held, leave, err := r.Enter(ctx)
	if err != nil {
		return nil, fmt.Errorf("the key of wsfev1_wsaa: %w", err)
	}
	defer leave()
	return held.issuer.Certificate(), nil
}

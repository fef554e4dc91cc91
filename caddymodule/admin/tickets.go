package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
)

// loginPatience bounds how long a request waits for a login. One takes 45 seconds at most.
const loginPatience = 50 * time.Second

// lacksTickets returns an error if a configuration keeps no tickets.
func lacksTickets(a *app.App) error {
	if len(tickets.In(a)) == 0 && len(tickets.Unusables()) == 0 {
		return tickets.ErrNoKeepers
	}
	return nil
}

// serveTickets answers /wsfev1/tickets: the keepers, each with its pause, and the certificates that cannot
// be used.
func serveTickets(a *app.App, w http.ResponseWriter, _ *http.Request) error {
	var shown []tickets.Shown
	for _, k := range tickets.In(a) {
		shown = append(shown, tickets.Show(k.Snapshot()))
	}
	return writeAdmin(w, struct {
		Tickets  []tickets.Shown    `json:"tickets"`
		Unusable []tickets.Unusable `json:"unusable,omitempty"`
	}{shown, tickets.Unusables()})
}

// serveLogInNow answers /wsfev1/tickets/login: it lets one keeper log in, and waits for the login. The
// status is 200 whatever became of it.
func serveLogInNow(a *app.App, w http.ResponseWriter, r *http.Request) error {
	var by tickets.Selection
	if err := readAdmin(w, r, &by); err != nil {
		return err
	}
	k, err := tickets.Pick(tickets.In(a), by)
	switch {
	case errors.Is(err, tickets.ErrNoKeepers), errors.Is(err, tickets.ErrNoMatch):
		return writeNotFound(w, err)
	case errors.Is(err, tickets.ErrSeveral):
		return adminError(http.StatusConflict, err)
	case err != nil:
		return adminError(http.StatusBadRequest, err)
	}
	// The context of the request ends with the admin API's time for reading it, ten seconds.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), loginPatience)
	defer cancel()
	asked := tickets.LogIn(ctx, k)
	appLogger().Info("somebody asked for a login at WSAA", append(tickets.Fields(asked.Keeper.Identity()),
		zap.String("login", asked.Keeper.Login), zap.String("client", adminClient(r)), zap.String("result", asked.Result))...)
	return writeAdmin(w, asked)
}

package admin

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

func init() { caddy.RegisterModule(new(Admin)) }

// Admin adds to Caddy's admin API. It shows the status of the trail and of the access tickets, and
// lets a gateway log in now. While the built-in service runs, it sets its clock and injects faults
// into it.
//
// Path | Methods | What
// -----|---------|-----
// `/wsfev1/audit` | GET | The node's logs: size, records not written yet, open intents, whether it is degraded, newest checkpoint
// `/wsfev1/audit/reads` | POST | Records that the trail is read or purged, see trail.Read
// `/wsfev1/ready` | GET, HEAD | 200 if the trail is open and accepts records, else 503, as while the process is stopping
// `/wsfev1/live` | GET, HEAD | 200
// `/wsfev1/tickets` | GET | The access tickets that the gateways keep: the certificate, the pause after a login that failed
// `/wsfev1/tickets/login` | POST | Lets one of them be renewed now, see tickets.Selection
// `/wsfev1/backend/clock` | GET, PUT | The clock, see app.Clock
// `/wsfev1/backend/faults` | GET, PUT, DELETE | All faults, see simulator.Fault
// `/wsfev1/backend/login` | GET, PUT, DELETE | The login service: its certificate, and the fault with which logins end
type Admin struct{}

// adminRoute is a path of the admin API. It serves the newest configuration that has started.
type adminRoute struct {
	path    string
	methods []string
	// lacks returns an error if the configuration lacks what serve needs. If lacks is nil, serve
	// takes any configuration, including nil for none.
	lacks func(*app.App) error
	serve func(*app.App, http.ResponseWriter, *http.Request) error
}

var (
	readMethods = []string{http.MethodGet, http.MethodHead}

	adminRoutes = []adminRoute{
		{"/wsfev1/audit", []string{http.MethodGet}, lacksGateway, serveAudit},
		{trail.ReadsPath, []string{http.MethodPost}, lacksGateway, serveReads},
		{"/wsfev1/ready", readMethods, nil, serveReady},
		{"/wsfev1/live", readMethods, nil, serveLive},
		{tickets.Path, []string{http.MethodGet}, lacksTickets, serveTickets},
		{tickets.LoginPath, []string{http.MethodPost}, lacksTickets, serveLogInNow},
		{"/wsfev1/backend/clock", []string{http.MethodGet, http.MethodPut}, lacksBackend, serveClock},
		{"/wsfev1/backend/faults", []string{http.MethodGet, http.MethodPut, http.MethodDelete}, lacksBackend, serveFaults},
		{"/wsfev1/backend/login", []string{http.MethodGet, http.MethodPut, http.MethodDelete}, nil, serveLogin},
	}
)

var (
	errNoGateway = errors.New("the running configuration has no wsfev1")
	errNoBackend = errors.New("the running configuration has no wsfev1_backend")
)

func lacksGateway(a *app.App) error {
	if trail.In(a) == nil {
		return errNoGateway
	}
	return nil
}

func lacksBackend(a *app.App) error {
	if a == nil || !a.HasBuiltIn() {
		return errNoBackend
	}
	return nil
}

// CaddyModule returns the Caddy module information.
func (*Admin) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.wsfev1", New: func() caddy.Module { return new(Admin) }}
}

// Routes implements caddy.AdminRouter. Caddy makes the routes before it provisions
// any app, so each request looks for the running configuration.
func (*Admin) Routes() []caddy.AdminRoute {
	routes := make([]caddy.AdminRoute, len(adminRoutes))
	for i, route := range adminRoutes {
		routes[i] = caddy.AdminRoute{Pattern: route.path, Handler: caddy.AdminHandlerFunc(route.answer)}
	}
	return routes
}

// answer checks the method and the configuration, and serves the request.
func (route adminRoute) answer(w http.ResponseWriter, r *http.Request) error {
	if !slices.Contains(route.methods, r.Method) {
		w.Header().Set("Allow", strings.Join(route.methods, ", "))
		return adminError(http.StatusMethodNotAllowed, fmt.Errorf("method %s: use %s", r.Method, strings.Join(route.methods, " or ")))
	}
	a := app.Serving()
	if route.lacks != nil {
		if err := route.lacks(a); err != nil {
			return writeNotFound(w, err)
		}
	}
	return route.serve(a, w, r)
}

// writeNotFound answers as Caddy does for an error, without its line in the log at the level
// ERROR: to ask this gateway for what another one has is no fault of anybody.
func writeNotFound(w http.ResponseWriter, err error) error {
	return writeAdminStatus(w, http.StatusNotFound, struct {
		Error string `json:"error"`
	}{err.Error()})
}

// maxAdminBody is the maximum size of a request's body at the admin API, in bytes.
const maxAdminBody = 1 << 20

// readAdmin reads the body of a request into value. It must be one JSON document, with no members
// that value does not have.
func readAdmin(w http.ResponseWriter, r *http.Request, value any) error {
	body := http.MaxBytesReader(w, r.Body, maxAdminBody)
	if err := json.UnmarshalRead(body, value, json.RejectUnknownMembers(true)); err != nil {
		return adminError(http.StatusBadRequest, fmt.Errorf("reading the body: %w", plainError(err)))
	}
	return nil
}

// plainError describes a mistake in a document without the names of Go types.
func plainError(err error) error {
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	place, at := string(semantic.JSONPointer), "the document"
	switch {
	case errors.Is(semantic.Err, json.ErrUnknownName):
		if parent := semantic.JSONPointer.Parent(); parent != "" {
			at = string(parent)
		}
		return fmt.Errorf("%s has no member %q", at, semantic.JSONPointer.LastToken())
	case place != "":
		at = place
	}
	if semantic.Err == nil {
		return fmt.Errorf("%s: a %s does not fit here", at, semantic.JSONKind)
	}
	return fmt.Errorf("%s: %w", at, semantic.Err)
}

// writeAdmin answers with a JSON document.
func writeAdmin(w http.ResponseWriter, value any) error {
	return writeAdminStatus(w, http.StatusOK, value)
}

func writeAdminStatus(w http.ResponseWriter, status int, value any) error {
	r, err := binding.JSON(status, value)
	if err != nil {
		return adminError(http.StatusInternalServerError, fmt.Errorf("writing the answer: %w", err))
	}
	_ = r.Write(w) // the client may have left
	return nil
}

// appLogger returns the logger of the app, whose resources these endpoints serve.
func appLogger() *zap.Logger { return caddy.Log().Named("wsfev1") }

func adminError(status int, err error) error { return caddy.APIError{HTTPStatus: status, Err: err} }

// Interface guards
var _ caddy.AdminRouter = (*Admin)(nil)

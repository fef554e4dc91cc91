package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/console/catalogue"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange"
	"github.com/fielato/fielato/caddymodule/internal/console/invoice"
	"github.com/fielato/fielato/caddymodule/internal/console/month"
	"github.com/fielato/fielato/caddymodule/internal/console/outages"
	"github.com/fielato/fielato/caddymodule/internal/console/proof"
	"github.com/fielato/fielato/caddymodule/internal/console/readings"
	"github.com/fielato/fielato/caddymodule/internal/console/search"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/console/today"
	"github.com/fielato/fielato/caddymodule/internal/console/tryit"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/layout"
	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/internal/clients"
)

func init() { caddy.RegisterModule(new(Console)) }

// Console serves pages about the trail of the gateways in the same configuration: it finds invoices, and
// shows what happened to each, with the proof. It only reads.
//
// Put authentication in front of it, and say who may see what. Where other machines reach it, and nothing asks
// who the readers are or nothing says what they may see, it does not start unless `public` is set.
type Console struct {
	// Path is the path below which the pages are. Default: `/consola`.
	Path string `json:"path,omitempty"`

	// Public: everybody who reaches the console may see it. Default: false.
	Public bool `json:"public,omitempty"`

	// Mask hides the documents of receivers until the reader reveals them. Default: false.
	Mask bool `json:"mask,omitempty"`

	// Reader says who reads, where the authentication in front does not say it to Caddy: a
	// placeholder such as `{http.request.header.Remote-User}`, if `forward_auth` copies that
	// header. Nobody else must be able to set it. Default: the user of Caddy's authentication, or
	// the subject of a client certificate that was verified.
	Reader string `json:"reader,omitempty"`

	// Readers: with `*`, everybody who gets through the authentication in front of this console sees all records, but
	// for those who have a row `reader`. A gateway's option of that name says the same for all consoles. Default: from other machines, those who
	// have a row.
	Readers string `json:"readers,omitempty"`

	// StoreRaw is a store of trails to read, instead of the stores of the gateways in the same
	// configuration.
	StoreRaw json.RawMessage `json:"audit,omitempty" caddy:"namespace=http.handlers.wsfev1.stores inline_key=store"`

	// EncryptionKey is the key of the content in that store: the path of a file, or a
	// placeholder such as `{env.NAME}` or `{file.PATH}` for the key itself.
	EncryptionKey string `json:"encryption_key,omitempty"`

	// Line is where the directive stands, such as `Caddyfile:12`. It is for messages alone.
	Line string `json:"line,omitempty"`

	app  *app.App
	own  *app.Handle[*ownStore] // the store of StoreRaw; nil without
	site *site.Site
	// refused: that strangers are refused is logged once.
	refused sync.Once
}

// CaddyModule returns the Caddy module information.
func (*Console) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1_console", New: func() caddy.Module { return new(Console) }}
}

// defaultPath is where the pages are if the configuration does not say.
const defaultPath = "/consola"

// Provision implements caddy.Provisioner.
func (c *Console) Provision(ctx caddy.Context) error { return directive.At(c.Line, c.provision(ctx)) }

func (c *Console) provision(ctx caddy.Context) (err error) {
	if c.Path == "" {
		c.Path = defaultPath
	}
	base := path.Clean("/" + c.Path)
	if !strings.HasPrefix(c.Path, "/") || base == "/" || strings.ContainsAny(c.Path, "?#{} ") {
		return fmt.Errorf("path %q: give the path below which the pages are, such as %s", c.Path, defaultPath)
	}
	if c.app, err = app.Of(ctx); err != nil {
		return err
	}
	if c.Reader != "" && !strings.Contains(c.Reader, "{") {
		return fmt.Errorf("reader %q is the same for all: give a placeholder, such as {header.Remote-User}", c.Reader)
	}
	if err := access.CheckReaders(c.Readers); err != nil {
		return err
	}
	// Caddy ends the context of a configuration only when its last request is over.
	ending := make(chan struct{})
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		server.RegisterOnShutdown(sync.OnceFunc(func() { close(ending) }))
		if err := c.checkReaders(ctx, server); err != nil {
			return err
		}
		c.app.Run(&announcement{ctx.Logger(), layout.ConsoleURL(server, base+"/"), base + "/"})
	}
	if err := c.provisionStore(ctx); err != nil {
		return err
	}
	readers := &site.Readers{Find: func(r *http.Request) (*clients.Reader, error) { return access.In(c.app).Reader(r, c.everybody()) }, Unproven: access.ErrUnproven}
	c.site = &site.Site{Base: base, MaskAll: c.Mask, ReaderScope: readers.Scope, Now: time.Now, Logger: ctx.Logger(), Open: c.open, Ending: ending, Shelf: func() *rulebook.Shelf { return rulebook.In(c.app) }}
	c.site.Prepare()
	for _, add := range pages {
		add(c.site)
	}
	return nil
}

// everybody reports whether this console has the option readers. Another one may stand behind another authentication.
func (c *Console) everybody() bool { return c.Readers == clients.All }

// errNoReaders: a console without rows of readers shows everything, which is no default for other machines.
var errNoReaders = errors.New("wsfev1_console shows invoices, other machines reach it here, and nothing says which of them each reader may see: " +
	"write a row reader <name> for each into the block of wsfev1, or readers * into this block if everybody who gets through the authentication may see all, or bind the site to 127.0.0.1")

// checkReaders returns an error if readers could come from other machines whom nobody knows, or of whom nothing says
// what they may see.
func (c *Console) checkReaders(ctx caddy.Context, server *caddyhttp.Server) error {
	if c.Public {
		return nil
	}
	if err := layout.CheckConsoles(server); err != nil {
		return err
	}
	if c.everybody() || local.AreAddresses(server.Listen) || access.In(c.app).Decides() {
		return nil
	}
	// Gateways that Caddy has not provisioned yet, in this server or in another, are still JSON.
	for _, server := range app.Servers(ctx) {
		for _, gateway := range layout.ServerGateways(server) {
			if options, err := access.OptionsOf(gateway); err != nil || options.Decides() {
				return nil //nolint:nilerr // Caddy reports the mistake when it reads that gateway
			}
		}
	}
	return errNoReaders
}

// pages add themselves to the site.
var pages = []func(*site.Site){today.Add, search.Add, month.Add, exchange.Add, invoice.Add, proof.Add, outages.Add, readings.Add, tryit.Add, catalogue.Add}

// open calls do with the sources of the pages.
func (c *Console) open(ctx context.Context, do func([]site.Source) error) error {
	if c.own != nil {
		return c.openOwn(ctx, do)
	}
	return openGateways(ctx, c.app, do)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Console)(nil)
	_ caddyhttp.MiddlewareHandler = (*Console)(nil)
)

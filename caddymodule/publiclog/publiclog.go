package publiclog

import (
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
)

func init() { caddy.RegisterModule(new(Log)) }

// Log serves the checkpoints and the hashes of the trail to programs of others, as C2SP's tlog-tiles has it. It
// serves no record. Everybody who reaches it may read how many records there are, and so how many there are
// a day.
//
// Path | What
// -----|-----
// `/log/<log>/checkpoint` | The newest checkpoint: the newest that a quorum of witnesses has cosigned, if the configuration names witnesses
// `/log/<log>/tile/<L>/<N>[.p/<W>]` | 256 hashes of a level, or the first W of them
type Log struct {
	// Path is the path below which the logs are. Default: `/log`.
	Path string `json:"path,omitempty"`

	// Line is where the directive stands, such as `Caddyfile:12`. It is for messages alone.
	Line string `json:"line,omitempty"`

	app    *app.App
	base   string
	logger *zap.Logger

	mu    sync.Mutex // guards edges, and is held while one grows
	edges map[edgeAt][]byte
}

// CaddyModule returns the Caddy module information.
func (*Log) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1_log", New: func() caddy.Module { return new(Log) }}
}

// defaultPath is where the logs are if the configuration does not say.
const defaultPath = "/log"

// Provision implements caddy.Provisioner.
func (l *Log) Provision(ctx caddy.Context) error { return directive.At(l.Line, l.provision(ctx)) }

func (l *Log) provision(ctx caddy.Context) (err error) {
	if l.Path == "" {
		l.Path = defaultPath
	}
	l.base = path.Clean("/" + l.Path)
	if !strings.HasPrefix(l.Path, "/") || l.base == "/" || strings.ContainsAny(l.Path, "?#{}% ") {
		return fmt.Errorf("path %q: give the path below which the logs are, such as %s", l.Path, defaultPath)
	}
	l.edges, l.logger = map[edgeAt][]byte{}, ctx.Logger()
	l.app, err = app.Of(ctx)
	return err
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Log)(nil)
	_ caddyhttp.MiddlewareHandler = (*Log)(nil)
)

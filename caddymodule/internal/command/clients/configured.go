package clientscmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/layout"
)

// gateway is a gateway of a configuration. Table is nil if it has no clients and no readers.
type gateway struct {
	// Line is where its directive stands, empty if the configuration does not say.
	Line string
	access.Configured
}

// readGateways returns the gateways of a configuration, or the one that named says.
func readGateways(flags *cli.ConfigFlags, named string) (all []gateway, err error) {
	adapted, err := flags.Load()
	if err != nil {
		return nil, err
	}
	found, err := gatewaysOf(adapted)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no gateway: there is no wsfev1 in it", flags.File)
	}
	var lines []string
	for _, raw := range found {
		options, err := access.OptionsOf(raw)
		if err != nil {
			return nil, err
		}
		lines = append(lines, options.Line)
		if !stands(options.Line, named) {
			continue
		}
		g := gateway{Line: options.Line}
		if g.Configured, err = access.ReadConfigured(options); err != nil {
			return nil, fmt.Errorf("%s: %w", options.Line, err)
		}
		all = append(all, g)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("--gateway %s: the gateways stand at %s", named, strings.Join(lines, ", "))
	}
	return all, nil
}

// stands reports whether a gateway stands where --gateway says, which may leave out the folder of the file.
func stands(line, named string) bool {
	return named == "" || line == named || strings.HasSuffix(line, "/"+named)
}

// gatewaysOf returns the gateways of a configuration, each as JSON.
func gatewaysOf(adapted []byte) (all []jsontext.Value, err error) {
	var read struct {
		Apps struct {
			HTTP struct {
				Servers map[string]struct {
					Routes caddyhttp.RouteList         `json:"routes"`
					Errors *caddyhttp.HTTPErrorConfig  `json:"errors"`
					Named  map[string]*caddyhttp.Route `json:"named_routes"`
				} `json:"servers"`
			} `json:"http"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(adapted, &read); err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(read.Apps.HTTP.Servers)) {
		server := read.Apps.HTTP.Servers[name]
		all = append(all, layout.ServerGateways(&caddyhttp.Server{Routes: server.Routes, Errors: server.Errors, NamedRoutes: server.Named})...)
	}
	return all, nil
}

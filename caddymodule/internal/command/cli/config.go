package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/pflag"
	"go.uber.org/zap"
)

// ConfigFlags name a configuration.
type ConfigFlags struct {
	// File is its path. Load fills it in where the flag was not given.
	File    string
	adapter string
}

func (f *ConfigFlags) Bind(set *pflag.FlagSet) {
	set.StringVarP(&f.File, "config", "c", "", "The configuration (default: Caddyfile in this folder)")
	set.StringVarP(&f.adapter, "adapter", "a", "", "The adapter of its language, such as caddyfile (default: by the file's name)")
}

// Load reads the configuration and adapts it to JSON.
func (f *ConfigFlags) Load() ([]byte, error) {
	if f.File == "" {
		if _, err := os.Stat("Caddyfile"); err != nil {
			return nil, errors.New("there is no Caddyfile in this folder: name the configuration with --config")
		}
		f.File = "Caddyfile"
	}
	adapted, _, _, err := caddycmd.LoadConfig(f.File, f.adapter)
	switch {
	case err == nil:
		return adapted, nil
	case strings.HasPrefix(err.Error(), "adapting config"):
		return nil, Explained(err, "")
	}
	return nil, fmt.Errorf("--config %s: give a configuration that can be read, and its language with --adapter: %w", f.File, err)
}

// Quiet keeps what Caddy tells of its progress from standing in front of a report. It returns what ends
// that.
func Quiet() func() {
	_, before, held := caddy.BufferedLog()
	return func() {
		held.FlushTo(zap.NewNop())
		caddy.UnbufferDefaultLogger(before)
	}
}

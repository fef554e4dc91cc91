package app

import (
	"fmt"

	"github.com/caddyserver/caddy/v2"
)

// LoadModule loads the module in a field of its host, or the fallback where the configuration
// names none.
func LoadModule[Opener any](ctx caddy.Context, host any, field string, raw []byte, fallback string) (opener Opener, err error) {
	var module any
	if raw == nil {
		module, err = ctx.LoadModuleByID(fallback, nil)
	} else {
		module, err = ctx.LoadModule(host, field)
	}
	if err != nil {
		return opener, fmt.Errorf("loading where to keep data: %w", err)
	}
	opener, ok := module.(Opener)
	if !ok {
		return opener, fmt.Errorf("module %T cannot be used here", module)
	}
	return opener, nil
}

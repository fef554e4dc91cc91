package caddymodule

import (
	// The modules register themselves.
	_ "github.com/fielato/fielato/caddymodule/admin"
	_ "github.com/fielato/fielato/caddymodule/arca"
	_ "github.com/fielato/fielato/caddymodule/command"
	_ "github.com/fielato/fielato/caddymodule/console"
	_ "github.com/fielato/fielato/caddymodule/gateway"
	_ "github.com/fielato/fielato/caddymodule/login"
	_ "github.com/fielato/fielato/caddymodule/publiclog"
	_ "github.com/fielato/fielato/caddymodule/simulator"
	_ "github.com/fielato/fielato/caddymodule/stores"
)

package trail_test

import (
	"testing"

	_ "github.com/fielato/fielato/caddymodule/admin"
	"github.com/fielato/fielato/caddymodule/caddytest"
	_ "github.com/fielato/fielato/caddymodule/command"
	_ "github.com/fielato/fielato/caddymodule/gateway"
	_ "github.com/fielato/fielato/caddymodule/simulator"
	_ "github.com/fielato/fielato/caddymodule/stores"
)

func TestMain(m *testing.M) { caddytest.Main(m) }

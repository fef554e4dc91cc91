package trail_test

import (
	"testing"

	_ "github.com/fielato/fielato/caddymodule/admin"
	_ "github.com/fielato/fielato/caddymodule/command"
	_ "github.com/fielato/fielato/caddymodule/gateway"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	_ "github.com/fielato/fielato/caddymodule/simulator"
	_ "github.com/fielato/fielato/caddymodule/stores"
)

func TestMain(m *testing.M) { caddytest.Main(m) }

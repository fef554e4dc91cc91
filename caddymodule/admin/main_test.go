package admin_test

import (
	"testing"

	_ "github.com/fielato/fielato/caddymodule"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

func TestMain(m *testing.M) { caddytest.Main(m) }

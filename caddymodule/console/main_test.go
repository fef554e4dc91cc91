package console_test

import (
	"testing"

	_ "github.com/fielato/fielato/caddymodule"
	"github.com/fielato/fielato/caddymodule/caddytest"
)

func TestMain(m *testing.M) { caddytest.Main(m) }

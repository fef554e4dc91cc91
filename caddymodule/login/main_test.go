package login_test

import (
	"testing"

	"github.com/fielato/fielato/caddymodule/caddytest"
)

func TestMain(m *testing.M) { caddytest.Main(m) }

package caddymodule_test

import (
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

package lease_test

import (
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

package wsfev1_test

import (
	"flag"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

// TestMain fixes the seed of the property tests, unless one is given, so that a
// failure is seen again; and keeps them from writing into testdata.
func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{"rapid.seed": "20261120", "rapid.nofailfile": "true"} {
		if f := flag.Lookup(name); f.Value.String() == f.DefValue {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	testrun.Main(m, nil)
}

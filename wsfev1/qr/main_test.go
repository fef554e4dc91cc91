package qr_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain fixes the seed of the property test, unless one is given, so that a failure is seen
// again; and keeps it from writing into testdata.
func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{"rapid.seed": "20261120", "rapid.nofailfile": "true"} {
		if f := flag.Lookup(name); f.Value.String() == f.DefValue {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

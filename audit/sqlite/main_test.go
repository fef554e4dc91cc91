package sqlite_test

import (
	"os"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		appendForEver(path)
		return
	}
	if path := os.Getenv(purgingPath); path != "" {
		purgeAndTell(path)
		return
	}
	testrun.Main(m, nil)
}

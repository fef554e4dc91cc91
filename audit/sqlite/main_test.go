package sqlite_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
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
	goleak.VerifyTestMain(m)
}

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
	goleak.VerifyTestMain(m)
}

package cli_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

// TestAnAddressIsNotRepeatedAsAPath: behind sqlite it would be the name of a file, in errors with its password.
func TestAnAddressIsNotRepeatedAsAPath(t *testing.T) {
	_, err := cli.AddressOfStore("store", "sqlite:postgres://fielato:geheim@db/fielato", "audit.db")
	if err == nil || strings.Contains(err.Error(), "geheim") || !strings.Contains(err.Error(), "--store: this is the address of a database") {
		t.Error(err)
	}
}

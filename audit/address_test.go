package audit_test

import (
	"fmt"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestAddressesAreReadBack, and nothing else is.
func TestAddressesAreReadBack(t *testing.T) {
	for text, want := range map[string]string{
		audit.Address("gateway-1", 41):         "gateway-1 41 true",
		audit.Address("a/b", 1<<63):            "a/b 9223372036854775808 true",
		"gateway-1/":                           " 0 false",
		"gateway-1":                            " 0 false",
		"/41":                                  " 0 false",
		"41":                                   " 0 false",
		"":                                     " 0 false",
		"gateway-1/-1":                         " 0 false",
		"gateway-1/+1":                         " 0 false",
		"gateway-1/99999999999999999999999999": " 0 false",
	} {
		log, index, ok := audit.ParseAddress(text)
		if got := fmt.Sprint(log, " ", index, " ", ok); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

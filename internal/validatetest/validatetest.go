package validatetest

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Noon is when the valid requests are processed: their dates are of that day.
var Noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.FixedZone("-03", -3*60*60))

// OddValues are what a member is replaced with, as JSON.
var OddValues = []string{
	"null", "0", "-1", "1", "2", "3", "99", "-0.01", "0.001", "12345678901234567890.123", "1e400", "9223372036854775807", `""`, `"0"`, `"S"`,
	`"20261345"`, `"20270101"`, `"ñandú <&>"`, `"` + strings.Repeat("€", 300) + `"`, "{}", "[]", "[{},{}]",
}

// Brief lists the codes and pointers, which the tests compare.
func Brief(found []validate.Finding) []string {
	list := make([]string, len(found))
	for i, f := range found {
		list[i] = f.Code + " " + f.Pointer
	}
	return list
}

// Operation returns an operation that must exist.
func Operation(t testing.TB, name string) *wsfev1.Operation {
	t.Helper()
	op := wsfev1.OperationByName(name)
	if op == nil {
		t.Fatalf("no operation %s", name)
	}
	return op
}

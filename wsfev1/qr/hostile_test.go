package qr

import (
	"reflect"
	"testing"

	"github.com/fielato/fielato/internal/hostile"
	"github.com/fielato/fielato/wsfev1"
)

// TestNothingThatIsExportedPanics whatever it is given.
func TestNothingThatIsExportedPanics(t *testing.T) {
	caller := new(hostile.Caller)
	for _, op := range wsfev1.Operations {
		caller.Extra = append(caller.Extra, reflect.Zero(reflect.TypeOf(op.NewRequest())).Interface(), op.NewRequest(),
			reflect.Zero(reflect.TypeOf(op.NewAnswer())).Interface(), op.NewAnswer())
	}
	caller.Function(t, "Of", Of)
	caller.Function(t, "Parse", Parse)
	called := []string{"Of", "Parse"}
	for _, content := range []Content{{}, {CbteFch: "2020", ImpTotal: wsfev1.MustAmount("1e400"), Authorisation: "-"}} {
		called = append(called, caller.Methods(t, content)...)
	}
	hostile.Missing(t, called)
}

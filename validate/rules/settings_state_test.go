package rules_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// TestLevelsOfStateAreForWhoDecidesThem: anywhere else they would silently have no effect.
func TestLevelsOfStateAreForWhoDecidesThem(t *testing.T) {
	now := time.Date(2026, 11, 6, 15, 0, 0, 0, time.UTC)
	for level, want := range map[validate.Level]string{
		validate.Enforce: "refuse", validate.Observe: "observe", validate.Off: "",
	} {
		settings := rules.Settings{Levels: map[int32]validate.Level{10005: level}}
		if _, err := rules.NewRules(settings); err == nil {
			t.Errorf("%s was taken", level)
		}
		settings.DecidesState = true
		rules, err := rules.NewRules(settings)
		if err != nil {
			t.Fatal(err)
		}
		f, found := rules.Find("FECAESolicitar", 10005, 1, now, validate.Header, "/x")
		if found != (want != "") || string(f.Action) != want {
			t.Errorf("%s: %v, %s", level, found, f.Action)
		}
	}
	unknown := rules.Settings{DecidesState: true, Levels: map[int32]validate.Level{10005: "never"}}
	if unknown.Check() == nil {
		t.Error("an unknown level was taken")
	}
}

package cosigned_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/internal/audittest"
)

// policyFile writes a policy in which each place is a witness, of which the quorum asks for a group.
func policyFile(t *testing.T, begin, end string, places ...*place) string {
	t.Helper()
	text := begin
	for i, p := range places {
		text += "witness " + string(rune('a'+i)) + " " + p.key.String() + " " + p.options().URL + "\n"
	}
	path := filepath.Join(t.TempDir(), "policy")
	if err := os.WriteFile(path, []byte(text+end), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAPolicyFileSaysWhoHasToSign: a and one of the two others.
func TestAPolicyFileSaysWhoHasToSign(t *testing.T) {
	of := newTrail(t, 3)
	places := []*place{newPlace(t, "a.example", 1, of.Verifier()), newPlace(t, "b.example", 2, of.Verifier()), newPlace(t, "c.example", 3, of.Verifier())}
	settings := cosigned.Settings{File: policyFile(t, "log "+of.Verifier()+"\n", "group others any b c\ngroup both all a others\nquorum both\n", places...), Require: true}
	places[0].be(places[0].down)
	err := groupOf(t, of, settings, 3).First(t.Context(), of)
	if err == nil || !strings.Contains(err.Error(), "2 of 3 witnesses have signed the newest checkpoint, which is no quorum") || of.keeper.Newest() != nil {
		t.Errorf("without a: %v\n%s", err, of.keeper.Newest())
	}
	places[0].be(nil)
	places[2].be(places[2].down)
	if err := groupOf(t, of, settings, 3).First(t.Context(), of); err != nil || of.size(of.keeper.Newest()) != 3 {
		t.Fatalf("without c: %v\n%s", err, of.keeper.Newest())
	}
	for _, p := range places[:2] {
		verified(t, of.keeper.Newest(), of, p)
	}
}

// TestWhatCannotBeAPolicyFile.
func TestWhatCannotBeAPolicyFile(t *testing.T) {
	of := newTrail(t, 3)
	p := newPlace(t, "a.example", 1, of.Verifier())
	good := policyFile(t, "", "quorum a\n", p)
	for name, test := range map[string]struct {
		settings cosigned.Settings
		want     string
	}{
		"with witness":  {cosigned.Settings{File: good, Witnesses: []cosigned.Options{p.options()}}, "remove witness, or witness_policy"},
		"with quorum":   {cosigned.Settings{File: good, Quorum: 1}, "remove quorum, or witness_policy"},
		"missing":       {cosigned.Settings{File: good + ".missing"}, "no such file"},
		"without URL":   {cosigned.Settings{File: policyFile(t, "witness a "+p.key.String()+"\n", "quorum a\n")}, "the witness a.example has no URL"},
		"no witness":    {cosigned.Settings{File: policyFile(t, "", "quorum none\n")}, "names no witness"},
		"another URL":   {cosigned.Settings{File: policyFile(t, "witness a "+p.key.String()+" ftp://a.example\n", "quorum a\n")}, "https://HOST"},
		"its own error": {cosigned.Settings{File: policyFile(t, "", "quorum b\n", p)}, "line 2 of the policy"},
	} {
		if _, err := test.settings.Resolve(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// TestAPolicyForAnotherLogStartsNothing.
func TestAPolicyForAnotherLogStartsNothing(t *testing.T) {
	of := newTrail(t, 3)
	p := newPlace(t, "a.example", 1, of.Verifier())
	other := audittest.Key(t, "gw-7").Verifier()
	settings := cosigned.Settings{File: policyFile(t, "log "+other+"\n", "quorum a\n", p)}
	if err := groupOf(t, of, settings, 1).First(t.Context(), of); err == nil || !strings.Contains(err.Error(), "the policy does not name the key of this log") {
		t.Errorf("%v", err)
	}
}

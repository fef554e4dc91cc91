package wsfev1

import "testing"

func TestIsAuthorization(t *testing.T) {
	for text, want := range map[string]bool{
		"86470000000001": true, "1": true, "010": true,
		"": false, " ": false, "0": false, "00000000000000": false, "NULL": false, "null": false, "7500000100000x": false, " 86470000000001": false, "-1": false, "\u0661": false,
	} {
		if got := IsAuthorization(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

package mask_test

import (
	"encoding/base64"
	"testing"
)

func TestEchoesAreFoundInATextThatIsNoBody(t *testing.T) {
	echoes := redactor().Credentials(aToken, aSign)
	for text, want := range map[string]bool{
		aToken: true, "Bearer " + aSign: true, "…" + aToken[4:18] + "…": true,
		"x" + base64.StdEncoding.EncodeToString([]byte("x"+aToken)): true,
		"": false, "application/json": false, aToken[:8]: false, "Thu, 20 Nov 2026 12:00:00 GMT": false,
	} {
		if got := echoes.In(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	if redactor().Credentials().In(aToken) {
		t.Error("an echo of nothing was found")
	}
}

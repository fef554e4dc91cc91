package mask_test

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestAHeaderKeepsAllButCredentials, in one value or in several, and the lists of values stay as they were.
func TestAHeaderKeepsAllButCredentials(t *testing.T) {
	shared := []string{"kept", "t=" + ticketSign}
	header := map[string][]string{
		"Content-Type": {"application/json"}, "Server": {"Caddy"}, "Date": {"Fri, 20 Nov 2026 12:00:00 GMT"}, "X-Node": {"node-7 of a service with a long name"},
		"X-Echo": shared, "X-Pieces": cut(ticketToken, 8), "X-" + ticketSign[1:20]: {"1"},
	}
	changed := map[string]string{}
	redactor().Credentials(ticketToken, ticketSign).Header(header, []string{"Content-Type", "Server"}, func(name, value string) { changed[name] = value })
	if got := header["X-Echo"]; got[0] != "kept" || got[1] != redactor().Fingerprint([]byte("t="+ticketSign)) || shared[1] != "t="+ticketSign {
		t.Errorf("%q, shared %q", got, shared)
	}
	for _, value := range header["X-Pieces"][:20] {
		if !strings.HasPrefix(value, "hmac-sha256:") {
			t.Errorf("a piece is kept: %s", value)
		}
	}
	if len(header) != 6 || len(changed) != 2 || changed["X-Echo"] != strings.Join(header["X-Echo"], ",") || header["X-Node"][0] != "node-7 of a service with a long name" {
		t.Errorf("%q, changed %q", header, changed)
	}
}

// TestAnAnswerThatIsNoJSONIsLeftOutWhole if it holds a credential.
func TestAnAnswerThatIsNoJSONIsLeftOutWhole(t *testing.T) {
	credentials := redactor().Credentials(ticketToken, ticketSign)
	for body, want := range map[string]string{
		`{"Msg":"ok"}`: `{"Msg":"ok"}`, `<html>no</html>`: `<html>no</html>`, "": "", `{"Msg":"` + ticketSign + `"}`: `{"Msg":` + mark(ticketSign) + `}`,
		"<b>" + ticketSign[4:40] + "</b>": "", "\x00a": "", base64.StdEncoding.EncodeToString([]byte("no: " + ticketToken)): "",
	} {
		if got := credentials.Answer([]byte(body)); string(got) != want {
			t.Errorf("%q became %q", body, got)
		}
	}
}

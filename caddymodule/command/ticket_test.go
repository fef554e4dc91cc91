package command_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

func TestTicketsOfTheCommandAreThoseOfTheGoldenFiles(t *testing.T) {
	for _, format := range []string{"json", "env", "text"} {
		got, said := mustRun(t, "", "ticket", "--cuit", "20111111112,30500010912", "--cuit", "27000000006",
			"--now", "2026-11-06T10:30:15-03:00", "--ttl", "90m", "--service", "wsfe", "--format", format)
		want, err := os.ReadFile("testdata/ticket." + format)
		if err != nil || got != string(want) || said != "" {
			t.Errorf("%s: %v, said %q, printed\n%s", format, err, said, got)
		}
	}
}

// TestATicketOfTheCommandPasses the gateway and the service behind it until it expires,
// for its issuers alone.
func TestATicketOfTheCommandPasses(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	made := func(arguments ...string) func(string) string {
		// The metric of the process keeps the longest life of an issuer: a short one disturbs nobody.
		out, _ := mustRun(t, "", append([]string{"ticket", "--ttl", "1m"}, arguments...)...)
		var auth struct {
			Token, Sign string
			Cuit        int64
		}
		if err := json.Unmarshal([]byte(out), &auth, json.RejectUnknownMembers(true)); err != nil || auth.Cuit == 0 {
			t.Fatalf("%v: %s", err, out)
		}
		return func(body string) string {
			return strings.Replace(body, caddytest.AuthText, `"Auth":`+strings.TrimSpace(out), 1)
		}
	}
	// Whatever becomes of the invoice: its number is taken after the first one.
	const passed, refused = `"FeCabResp":{"Cuit":20111111112,`, `{"Errors":{"Err":[{"Code":600,`
	past := time.Now().Add(-13 * time.Hour).Format(time.RFC3339)
	for name, c := range map[string]struct{ body, want string }{
		"in force":         {made("--cuit", "20111111112")(caddytest.Invoice(1)), passed},
		"expired":          {made("--cuit", "20111111112", "--now", past)(caddytest.Invoice(2)), refused},
		"another service":  {made("--cuit", "20111111112", "--service", "wsfex")(caddytest.Invoice(2)), refused},
		"of another CUIT":  {strings.Replace(made("--cuit", "30500010912")(caddytest.Invoice(2)), `"Cuit":30500010912`, `"Cuit":20111111112`, 1), refused},
		"the last of many": {strings.Replace(made("--cuit", "30500010912,20111111112")(caddytest.Invoice(1)), `"Cuit":30500010912`, `"Cuit":20111111112`, 1), passed},
	} {
		if got := s.Post("FECAESolicitar", c.body); !strings.Contains(string(got.Body), c.want) {
			t.Errorf("%s: %s, want %s", name, got.Body, c.want)
		}
	}
}

func TestTicketSaysWhatToDo(t *testing.T) {
	for arguments, want := range map[string]string{
		"":                                              "a ticket needs the CUITs",
		"--cuit 2011111111-2":                           `--cuit "2011111111-2": not a CUIT: give its eleven digits`,
		"--cuit 20111111113":                            "20111111113 is not a CUIT",
		"--cuit 20111111112 --ttl 0s":                   "a ticket lives from a second to ten years, not 0s",
		"--cuit 20111111112 --ttl x":                    "invalid argument",
		"--cuit 20111111112 --service WSFE":             `"WSFE" is not the id of a service`,
		"--cuit 20111111112 --format xml":               `--format "xml": use json, env or text`,
		"--cuit 20111111112 --now now":                  `--now "now": give a moment`,
		"--cuit 20111111112 --now 1960-01-01T00:00Z":    "give a moment",
		"--cuit 20111111112 --now 1960-01-01T00:00:00Z": "no ticket can be made as of then",
		"20111111112":                                   "this command takes flags and no arguments",
	} {
		out, _, err := wsfev1Command("", append([]string{"ticket"}, strings.Fields(arguments)...)...)
		if err == nil || out != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("ticket %s: %q, %v, want %s", arguments, out, err, want)
		}
	}
}

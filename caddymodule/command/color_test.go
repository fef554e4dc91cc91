package command_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/audittest"
)

// escape matches what paints a text.
var escape = regexp.MustCompile("\x1b\\[\\d+m")

// TestOutcomesAreColouredOnRequest, with the same columns, and never in a pipe.
func TestOutcomesAreColouredOnRequest(t *testing.T) {
	refused, unknown := exchange(), exchange()
	refused.Outcome, refused.Decision, refused.Certainty = "refused", "refuse", "not_sent"
	unknown.Outcome, unknown.Certainty = "unknown", "unknown"
	store := " --store sqlite:" + trailOf(t, exchange(), refused, unknown)
	for _, line := range []string{"audit search", "audit show 0"} {
		plain := words(line + store)
		if plain.err != nil || escape.MatchString(plain.out) {
			t.Errorf("%s in a pipe: %v\n%q", line, plain.err, plain.out)
		}
		if never := words(line + store + " --color never"); never.out != plain.out {
			t.Errorf("%s --color never: %q", line, never.out)
		}
		painted := words(line + store + " --color always")
		if painted.err != nil || !strings.Contains(painted.out, "\x1b[32mapproved\x1b[39m") || escape.ReplaceAllString(painted.out, "") != plain.out {
			t.Errorf("%s --color always: %v\n%s\nwant the columns of\n%s", line, painted.err, painted.out, plain.out)
		}
		t.Run(line, func(t *testing.T) {
			t.Setenv("NO_COLOR", "1")
			if got := words(line + store + " --color always"); got.out != painted.out {
				t.Errorf("always means always: %q", got.out)
			}
		})
	}
	out := words("audit search --color always" + store).out
	for _, want := range []string{"\x1b[33mrefused\x1b[39m", "\x1b[31munknown\x1b[39m"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%q", want, out)
		}
	}
	if out := words("audit search --kind access --color always" + store).out; escape.MatchString(out) {
		t.Errorf("accesses: %q", out)
	}
	if got := words("audit search --color sometimes" + store); got.status() != 2 || !strings.Contains(got.err.Error(), "use auto, always or never") {
		t.Errorf("status %d: %v", got.status(), got.err)
	}
	if out := words("audit search --format json --color always" + store).out; escape.MatchString(out) {
		t.Errorf("json: %q", out)
	}
}

// TestVerdictsAreColouredOnRequest, with the same text and columns, and never in a pipe.
func TestVerdictsAreColouredOnRequest(t *testing.T) {
	refused := exchange()
	refused.Outcome, refused.Decision, refused.Certainty = "refused", "refuse", "not_sent"
	path := trailOf(t, exchange(), refused)
	store, folder := " --store sqlite:"+path, t.TempDir()
	exported, invoice := filepath.Join(folder, "export"), filepath.Join(folder, "invoice.json")
	if got := words("audit export --output " + exported + store); got.err != nil {
		t.Fatal(got.err)
	}
	if err := os.WriteFile(invoice, []byte(`{"FeCAEReq":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	proof := filepath.Join(folder, "0.tlog-proof")
	if got := words("audit prove 0 --output " + proof + store); got.err != nil {
		t.Fatal(got.err)
	}
	key, other := audittest.Key(t, logName).Verifier(), audittest.Key(t, "gateway-2").Verifier()
	for line, want := range map[string]string{
		"audit stats" + store:                                 "\x1b[33mrefused\x1b[39m 1",
		"audit stats --by outcome" + store:                    "\x1b[32mapproved\x1b[39m",
		"audit stats --by day" + store:                        "\x1b[32mapproved\x1b[39m 1",
		"audit verify" + store:                                "\x1b[32msound\x1b[39m: ",
		"audit verify --key " + other + store:                 "\x1b[31mBROKEN\x1b[39m: ",
		"audit verify --export " + exported + " --key " + key: "\x1b[32msound\x1b[39m: ",
		"audit check-proof " + proof + " --key " + key:        "\x1b[32mholds\x1b[39m: ",
		"check " + invoice:                                    "\x1b[31mrechazado\x1b[39m: ",
		"check " + folder:                                     "\x1b[31milegible\x1b[39m: ",
	} {
		plain, painted := words(line), words(line+" --color always")
		if escape.MatchString(plain.out) || escape.ReplaceAllString(painted.out, "") != plain.out || !strings.Contains(painted.out, want) {
			t.Errorf("%s: %v\n%q\nin a pipe\n%q\nwant %q", line, painted.err, painted.out, plain.out, want)
		}
	}
}

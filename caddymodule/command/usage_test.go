package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestANearCommandOrFlagIsSuggested, for every command, and nothing where none is near.
func TestANearCommandOrFlagIsSuggested(t *testing.T) {
	for line, want := range map[string]string{
		"audit serach":                           "; did you mean search?",
		"adit search":                            "; did you mean audit?",
		"ledger exprot":                          "; did you mean export?",
		"audit hold lst":                         "; did you mean list?",
		"audit checkproof":                       "; did you mean check-proof?",
		"audit SEARCH":                           "; did you mean search?",
		"audit search --cuti 1":                  "unknown flag: --cuti; did you mean --cuit?",
		"audit search --pto_vta 1":               "unknown flag: --pto_vta; did you mean --pto-vta?",
		"audit search --lgo x":                   "unknown flag: --lgo; did you mean --log?",
		"audit purge --dryrun":                   "unknown flag: --dryrun; did you mean --dry-run?",
		"audit hold add --cuti 1":                "unknown flag: --cuti; did you mean --cuit?",
		"rules --fromat json":                    "unknown flag: --fromat; did you mean --format?",
		"ledger export --outpt x":                "unknown flag: --outpt; did you mean --output?",
		"ticket --cuti 1":                        "unknown flag: --cuti; did you mean --cuit?",
		"migrate --stroe x":                      "unknown flag: --stroe; did you mean --store?",
		"check --formt json -":                   "unknown flag: --formt; did you mean --format?",
		"audit search --outcome aproved":         "; did you mean approved?",
		"audit search --operation FECAESolicitr": "; did you mean FECAESolicitar?",
		"audit stats --by da":                    "; did you mean day?",
		"audit search --format jsno":             "; did you mean json?",
		"init forwad -":                          "; did you mean forward?",
		"doctor --cofig x":                       "unknown flag: --cofig; did you mean --config?",
		"doctor --format jsno":                   "; did you mean json?",
		"certificate chek":                       "; did you mean check?",
		"login --certifcate x":                   "unknown flag: --certifcate; did you mean --certificate?",
		"init --fromat":                          "unknown flag: --fromat",
		"audit xyz":                              `unknown command "xyz" for "fielato wsfev1 audit"`,
		"audit search --xyz":                     "unknown flag: --xyz",
		"audit search -x":                        "unknown shorthand flag: 'x' in -x",
	} {
		got := words(line)
		if got.err == nil || got.status() != 2 || !strings.HasSuffix(got.err.Error(), want) {
			t.Errorf("%s: status %d, %v; want 2, %q", line, got.status(), got.err, want)
		}
	}
}

// TestWhatIsMissingIsNamed, as a user writes it.
func TestWhatIsMissingIsNamed(t *testing.T) {
	store := " --store sqlite:" + trailOf(t, exchange())
	key := audittest.Key(t, logName).Verifier()
	copied := key[:len(key)-1] + map[bool]string{true: "B", false: "A"}[strings.HasSuffix(key, "A")]
	for line, want := range map[string]string{
		"audit show" + store:                "INDEX is missing: a number or LOG/INDEX",
		"audit prove" + store:               "INDEX is missing: a number or LOG/INDEX",
		"audit check-proof":                 "FILE is missing: a proof",
		"audit consistency a":               "NEW is missing: a file with a later one",
		"check":                             "FILE is missing",
		"ledger import":                     "FILE is missing",
		"audit show 1 2":                    `"2" is one argument too many`,
		"audit search more":                 `"more": this command takes flags and no arguments`,
		"audit evidence":                    "--cuit is missing: give the issuer",
		"audit evidence --cuit 20111111112": "--pto-vta is missing: give the point of sale",
		"audit evidence --cuit 20111111112 --pto-vta 0":               "--pto-vta 0: give the point of sale",
		"audit evidence --cuit 20111111112 --pto-vta 1":               "--cbte-tipo is missing: give the type of voucher",
		"audit evidence --cuit 20111111112 --pto-vta 1 --cbte-tipo 6": "--nro is missing: give the invoice's number",
		"audit hold add" + store:                                      "--cuit is missing: give the issuer",
		"audit export" + store:                                        "--output is missing",
		"audit check-proof x --key " + copied:                         "its checksum is wrong: was it copied whole?",
		"audit search --store sqlite:none.db":                         "none.db. Give --store sqlite:PATH with the path in the Caddyfile (audit sqlite PATH)",
		"audit search --store postgres:{env.FIELATO_NOT}":             "the variable FIELATO_NOT is not set",
	} {
		got := words(line)
		if got.err == nil || got.status() != 2 || !strings.Contains(got.err.Error(), want) {
			t.Errorf("%s: status %d, %v; want 2, %q", line, got.status(), got.err, want)
		}
		if strings.Contains(fmt.Sprint(got.err), "file does not exist") {
			t.Errorf("%s: %v", line, got.err)
		}
	}
	if got := words("check none.json"); !strings.Contains(got.out, "none.json: ilegible: No se puede leer el archivo: no existe.") {
		t.Errorf("%s", got.out)
	}
}

// TestTheExitStatusMeansTheSameForAllCommands: 1 for something wrong that was found, 2 for what
// could not be done.
func TestTheExitStatusMeansTheSameForAllCommands(t *testing.T) {
	store := " --store sqlite:" + trailOf(t, exchange())
	nowhere := " --store sqlite:" + t.TempDir() + "/none.db"
	refused := filepath.Join(t.TempDir(), "invoice.json")
	if err := os.WriteFile(refused, []byte(`{"FeCAEReq":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for status, lines := range [][]string{
		0: {
			"audit search" + store, "audit search --outcome refused" + store, "audit stats" + store, "audit show 0" + store,
			"audit outages" + store, "audit verify" + store, "audit checkpoint" + store, "audit", "rules 10048", "ledger", "openapi",
		},
		1: {
			"audit verify --key " + audittest.Key(t, "gateway-2").Verifier() + store, "check " + refused,
		},
		2: {
			"audit search" + nowhere, "audit show 99" + store, "audit show elsewhere/0" + store, "audit prove 99" + store,
			"audit search --log elsewhere" + store, "audit export --output ." + nowhere, "audit hold list" + nowhere,
			"ledger import --ledger sqlite:none.db none.jsonl",
			"audit search --outcome good" + store, "audit search --nro 0" + store, "audit search --since someday" + store,
			"audit search --cae= " + store, "audit search more" + store, "audit search --store mongodb:x", "audit search --nope",
			"audit show" + store, "audit show first" + store, "audit stats --by month" + store, "audit stats --kind access" + store,
			"audit tail --interval 0s" + store, "audit outages --since soon" + store, "audit prove" + store, "audit prove first" + store,
			"audit evidence --nro 1" + store, "audit purge" + store, "audit purge --before 2016 --yes" + store,
			"audit purge --acknowledge --compact --yes" + store, "audit hold add --cuit 7" + store, "audit hold add more" + store,
			"audit hold nope", "audit nope", "audit export" + store, "audit copy", "audit checkpoint more" + store, "audit new-key a b",
			"audit search --format xml" + store, "audit verify --format xml" + store, "rules 1", "rules x", "rules --operation x",
			"ledger nope", "ledger reset --ledger= --yes", "ledger export --ledger x", "migrate", "ticket", "openapi more", "nope",
			"audit verify" + nowhere, "check none.json", "check",
		},
	} {
		for _, line := range lines {
			if got := words(line); got.status() != status {
				t.Errorf("%s: status %d, want %d: %v", line, got.status(), status, got.err)
			}
		}
	}
}

// TestEveryHelpNamesTheExitStatuses.
func TestEveryHelpNamesTheExitStatuses(t *testing.T) {
	for _, line := range []string{
		"", "audit search", "audit show", "audit tail", "audit stats", "audit outages", "audit evidence", "audit export", "audit verify",
		"audit checkpoint", "audit consistency", "audit copy", "audit prove", "audit check-proof", "audit new-key", "audit purge",
		"audit hold add", "audit hold remove", "audit hold list", "rules", "check", "ledger export", "ledger import", "ledger reset",
		"migrate", "ticket", "openapi", "doctor", "init", "login", "certificate request", "certificate check",
	} {
		out := words(line + " --help").out
		if strings.Count(out, "\nExit status:\n  0  ") != 1 || !strings.Contains(out, "\n  2  ") {
			t.Errorf("%s --help:\n%s", line, out)
		}
	}
}

// TestWhatIsOfAnotherKindIsNamed: a folder in the place of a file, and the other way round.
func TestWhatIsOfAnotherKindIsNamed(t *testing.T) {
	store, folder := " --store sqlite:"+trailOf(t, exchange()), t.TempDir()
	file := filepath.Join(folder, "file")
	zipped, proof, key := filepath.Join(folder, "evidence.zip"), filepath.Join(folder, "0.tlog-proof"), audittest.Key(t, logName).Verifier()
	for path, text := range map[string]string{file: "text", zipped: "PK\x05\x06" + strings.Repeat("\x00", 18), proof: "c2sp.org/tlog-proof@v1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const invoice = " --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 1"
	for line, want := range map[string]string{
		"audit search --encryption-key " + folder + store: "is a folder: give the file that holds it",
		"audit search --store sqlite:" + folder:           "is not a file: give the path of a trail",
		"audit export --output " + file + store:           "is a file: give a folder",
		"audit verify --export " + file:                   "this is a file: give the folder that audit export wrote",
		"audit verify --export " + folder + "/none":       "give the folder that audit export wrote",
		"audit verify --export " + zipped:                 "this zip file is no evidence of one invoice: unzip it, and give the folder",
		"audit verify --export " + proof:                  "this is the proof of one record: audit check-proof FILE --key KEY checks it",
		"audit check-proof " + folder + " --key " + key:   "this is a folder: give a proof in it, or check all of it with audit verify --export",
		"audit check-proof " + zipped + " --key " + key:   "this is a zip file: audit verify --export FILE.zip",
		"audit check-proof " + file + " --key " + key:     "proof",
		"audit new-key " + file:                           "is there already, and stays as it is: name another file",
		"audit prove 0 --output " + file + store:          "is there already, and stays as it is: name another file",
		"audit new-key " + folder + "/none/key":           "no such file or directory: name a file in a folder that is there",
		"init demo " + folder + "/none/Caddyfile":         "no such file or directory: name a file in a folder that is there",
		"init demo " + file:                               "is there already, and stays as it is: name another file",
		"ledger import --ledger sqlite:none.db " + folder: "is a folder: give a file that ledger export wrote",
		"doctor --config " + folder:                       "give a configuration that can be read",
	} {
		if got := words(line); got.status() != 2 || !strings.Contains(got.err.Error(), want) {
			t.Errorf("%s: status %d, %v; want %q", line, got.status(), got.err, want)
		}
	}
	one := exchange()
	one.PtoVta, one.CbteTipo, one.Vouchers = 1, 6, []audit.Voucher{{CbteDesde: 1, CbteHasta: 1}}
	got := words("audit evidence" + invoice + " --output " + file + " --store sqlite:" + trailOf(t, one))
	if got.status() != 2 || !strings.Contains(got.err.Error(), "is a file: give a new folder, or a new file FILE.zip") {
		t.Errorf("evidence: status %d, %v", got.status(), got.err)
	}
}

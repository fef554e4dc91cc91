package backend_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/wsfev1"
)

func readRegister(t *testing.T, text string) *backend.Register {
	t.Helper()
	register, err := backend.ReadRegister("register.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return register
}

func TestARegisterSaysOfATaxpayerWhatItsFileSays(t *testing.T) {
	got := readRegister(t, `
taxpayers:
  - cuit: 20-11111111-2
    name: A name
    iva: monotributo
    inactive: true
    pyme: false
    refused: 4
    class_a_from: 2026-03-01
    top_limit: 12345678901234.10
    own_limit: "0.30"
    cbus: [0009999000000000101741]
    projects: ["00000007"]
    activities: [{id: 681098}, {id: 999999, desc: Ninguna}]
    points_of_sale:
      - {number: 7, kind: segws, from: 20260101, until: 2026-12-31, blocked: true, address: centro}
`).Taxpayer(20111111112)
	want := backend.Taxpayer{
		Cuit: 20111111112, Name: "A name", IVA: backend.Monotributo,
		Inactive: true, OptedIn: true, Refused: 4, ClassAFrom: "20260301",
		TopLimit: wsfev1.MustAmount("12345678901234.10"), OwnLimit: wsfev1.MustAmount("0.30"),
		CBUs: []string{"0009999000000000101741"}, Projects: []string{"00000007"},
		Activities: []wsfev1.ActividadesTipo{
			{Id: 681098, Orden: 1, Desc: "Servicios inmobiliarios"}, {Id: 999999, Orden: 2, Desc: "Ninguna"},
		},
		Points: []backend.PointOfSale{{
			Number: 7, Kind: backend.PointSurety, From: "20260101", Until: "20261231", Blocked: true, Address: "centro",
		}},
	}
	if g, w := fmt.Sprintf("%+v", *got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}

func TestJSONIsARegisterToo(t *testing.T) {
	register := readRegister(t, `{"taxpayers": [{"cuit": 20111111112, "iva": "exento", "own_limit": 1000.50}]}`)
	got := register.Taxpayer(20111111112)
	if got.IVA != backend.Exento || got.OwnLimit.String() != "1000.50" {
		t.Errorf("read %s and %s", got.IVA, got.OwnLimit)
	}
}

// TestWhatARegisterDoesNotSayOfATaxpayerIsAsIfItDidNotNameHim, except for the classes that
// the taxpayer may issue: an unnamed one may issue all.
func TestWhatARegisterDoesNotSayOfATaxpayerIsAsIfItDidNotNameHim(t *testing.T) {
	named := *readRegister(t, "taxpayers: [{cuit: 20111111112}]").Taxpayer(20111111112)
	for _, text := range []string{"", "# nobody\n", "taxpayers: []"} {
		unnamed := *readRegister(t, text).Taxpayer(20111111112)
		n, u := fmt.Sprintf("%+v", named), fmt.Sprintf("%+v", unnamed)
		if strings.Replace(n, "unnamed:false", "unnamed:true", 1) != u {
			t.Errorf("with %q\nnamed   %s\nunnamed %s", text, n, u)
		}
	}
	if len(named.Points) != 4 || named.IVA != backend.ResponsableInscripto {
		t.Errorf("not in good standing: %+v", named)
	}
}

func TestAnEmptyListTakesAwayWhatIsThereByDefault(t *testing.T) {
	got := readRegister(t, "taxpayers: [{cuit: 20111111112, points_of_sale: [], activities: []}]").Taxpayer(20111111112)
	if len(got.Points) != 0 || len(got.Activities) != 0 || !got.WithoutActivities {
		t.Errorf("got %+v", got)
	}
}

func TestANumberWithAWrongCheckDigitBelongsToNobody(t *testing.T) {
	register := readRegister(t, "taxpayers: [{cuit: 20111111113, unknown: true, name: A name}]")
	for cuit, unknown := range map[wsfev1.CUIT]bool{20111111112: false, 20111111113: true, 20111111114: true, 1: true} {
		if got := register.Taxpayer(cuit).Unknown; got != unknown {
			t.Errorf("%d: unknown %v", cuit, got)
		}
	}
}

// TestTheFaultsOfARegisterAreToldWithTheirLines reads testdata/register/*.in, which
// hold what people get wrong, one kind to a file.
func TestTheFaultsOfARegisterAreToldWithTheirLines(t *testing.T) {
	for _, name := range []string{"syntax", "kinds", "members", "values", "repeated"} {
		t.Run(name, func(t *testing.T) {
			file := "testdata/register/" + name
			text, err := os.ReadFile(file + ".in")
			if err != nil {
				t.Fatal(err)
			}
			_, fault := backend.ReadRegister("register.yaml", text)
			if fault == nil {
				t.Fatal("no fault")
			}
			got := fault.Error() + "\n"
			if *rewrite {
				if err := os.WriteFile(file+".golden", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			compare(t, string(want), got)
		})
	}
}

// TestAFaultOfARegisterQuotesNoKey: the file of a private key was named by mistake.
func TestAFaultOfARegisterQuotesNoKey(t *testing.T) {
	const body = "MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCYEAHc2bICmSM"
	_, err := backend.ReadRegister("r", []byte("-----BEGIN PRIVATE KEY-----\n"+body+"\n"+body+"\n-----END PRIVATE KEY-----\n"))
	if err == nil || strings.Contains(err.Error(), "MII") || !strings.HasPrefix(err.Error(), "r:1: a text of ") {
		t.Errorf("%v", err)
	}
}

func TestOfManyFaultsTheFirstTwentyAreTold(t *testing.T) {
	var text strings.Builder
	text.WriteString("taxpayers:\n")
	for range 25 {
		text.WriteString("  - {cuit: 1}\n")
	}
	_, err := backend.ReadRegister("r", []byte(text.String()))
	if err == nil {
		t.Fatal("no fault")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[0], "r:2: ") || !strings.HasPrefix(lines[19], "r:21: ") || lines[20] != "r: and 5 more" {
		t.Errorf("%d lines: %s", len(lines), err)
	}
}

func TestAliasesOfYAMLStandForWhatTheyName(t *testing.T) {
	register := readRegister(t, `
taxpayers:
  - {cuit: 20111111112, points_of_sale: &points [{number: 9, kind: caea}]}
  - {cuit: 20222222223, points_of_sale: *points}
`)
	first, second := register.Taxpayer(20111111112).Points, register.Taxpayer(20222222223).Points
	if len(second) != 1 || !slices.Equal(first, second) {
		t.Errorf("%v and %v", first, second)
	}
}

// FuzzReadRegister: whatever the text, there is a register or a fault.
func FuzzReadRegister(f *testing.F) {
	f.Add([]byte("taxpayers: [{cuit: 20111111112, own_limit: 1e400}]"))
	f.Add([]byte("taxpayers: &a [*a]"))
	f.Add([]byte("remitos: [{type: 991, point_of_sale: 1, number: 1}]\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if register, err := backend.ReadRegister("r", text); (register == nil) == (err == nil) {
			t.Errorf("register %v, fault %v", register, err)
		}
	})
}

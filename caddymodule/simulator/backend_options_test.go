package simulator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// withOptions is the next handler that answers by itself, with options.
func withOptions(t testing.TB, options ...string) string {
	return "wsfev1_backend {\n\t\tledger sqlite " + filepath.Join(t.TempDir(), "ledger.db") + "\n\t\t" + strings.Join(options, "\n\t\t") + "\n\t}"
}

// folderOf makes a folder with files.
func folderOf(t testing.TB, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestRulesOfTheServiceCanBeSetApart(t *testing.T) {
	unknown := strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":77`, 1)
	for option, outcome := range map[string]string{"": "rejected", "rule 10005 enforce": "rejected", "rule 10005 off": "approved"} {
		s := caddytest.Start(t, withOptions(t, option))
		got := s.Post("FECAESolicitar", unknown)
		if strings.Contains(string(got.Body), `"Code":10005`) != (outcome == "rejected") || string(s.Last().Outcome) != outcome {
			t.Errorf("%q: %s, %s", option, s.Last().Outcome, got.Body)
		}
	}
	wrongTotal := strings.Replace(caddytest.Invoice(1), "121.00", "7.00", 1)
	for option, want := range map[string]string{"": `"R"`, "rule 10048 off": `"A"`, "rule 10048 observe": `"A"`} {
		s := caddytest.Start(t, withOptions(t, option), "mode observe")
		got := s.Post("FECAESolicitar", wrongTotal)
		if got.At(t, "/FeCabResp/Resultado") != want || strings.Contains(string(got.Body), "10048") == strings.HasSuffix(option, "off") {
			t.Errorf("%q: %s", option, got.Body)
		}
	}
}

// TestTheServiceFindsWhatAMoreLenientGatewayHasNot: it does not take the gateway's word for it.
func TestTheServiceFindsWhatAMoreLenientGatewayHasNot(t *testing.T) {
	wrongTotal := strings.Replace(caddytest.Invoice(1), "121.00", "122.00", 1)
	for _, option := range []string{"rule 10048 off", "absolute_tolerance 29"} {
		s := caddytest.Start(t, withOptions(t), option)
		got := s.Post("FECAESolicitar", wrongTotal)
		if got.At(t, "/FeCabResp/Resultado") != `"R"` || !strings.Contains(string(got.Body), "10048") || string(s.Last().Outcome) != "rejected" {
			t.Errorf("%q: %s, %s", option, s.Last().Outcome, got.Body)
		}
	}
}

func TestEventsRideOnEveryAnswer(t *testing.T) {
	s := caddytest.Start(t, withOptions(t, `event 1001 "Mantenimiento programado"`, "event 1002 Aviso", "tickets strict"), "mode observe")
	const events = `{"Evt":[{"Code":1001,"Msg":"Mantenimiento programado"},{"Code":1002,"Msg":"Aviso"}]}`
	for operation := range caddytest.AnswerTable {
		body := "{" + caddytest.AuthText + caddytest.RequestMembers(operation) + "}"
		if operation == "FEDummy" {
			if got := s.Post(operation, "{}"); got.At(t, "/Events") != "" {
				t.Errorf("%s", got.Body)
			}
			continue
		}
		// Refused for its ticket, and looked at.
		if got := s.Post(operation, body); got.Status == 200 && got.At(t, "/Events") != events {
			t.Errorf("%s, refused: %s", operation, got.Body)
		}
		if got := s.Post(operation, caddytest.WithTicket(body, caddytest.SSOTicket("wsfe", inAnHour(), 20111111112), caddytest.Sign)); got.At(t, "/Events") != events {
			t.Errorf("%s: %s", operation, got.Body)
		}
	}
}

func TestTablesOfTheUsersOwn(t *testing.T) {
	folder := folderOf(t, map[string]string{
		"moneda.tsv":     "Id\tDesc\tFchDesde\tFchHasta\nPES\tPesos\t20090403\tNULL\n",
		"condicion.tsv":  "Id\tDesc\tCmp_Clase\tClases\r\n5\tConsumidor Final\tC/49\tB/C/49\r\n7\tOtro\tA/ALEY\tA\r\n",
		"cotizacion.tsv": "MonId\tFchCotiz\tMonCotiz\nDOL\t20260102\t2\nDOL\t20200101\t1.5\n",
		"README.md":      "not a table",
	})
	s := caddytest.Start(t, withOptions(t, "tables "+folder, "clock fixed 2026-11-02T12:00:00-03:00"))
	for _, test := range []struct{ operation, members, pointer, want string }{
		{"FEParamGetTiposMonedas", "", "/ResultGet", `{"Moneda":[{"Id":"PES","Desc":"Pesos","FchDesde":"20090403","FchHasta":"NULL"}]}`},
		{"FEParamGetCondicionIvaReceptor", `,"ClaseCmp":"A"`, "/ResultGet", `{"CondicionIvaReceptor":[{"Id":7,"Desc":"Otro","Cmp_Clase":"A"}]}`},
		{"FEParamGetCotizacion", `,"MonId":"DOL"`, "/ResultGet/MonCotiz", "2"},
		{"FEParamGetCotizacion", `,"MonId":"DOL","FchCotiz":"20251001"`, "/ResultGet/MonCotiz", "1.5"},
		{"FEParamGetTiposConcepto", "", "/ResultGet/ConceptoTipo/1/Desc", `"Servicios"`}, // the built-in one
	} {
		if got := s.Post(test.operation, "{"+caddytest.AuthText+test.members+"}"); got.At(t, test.pointer) != test.want {
			t.Errorf("%s: %s", test.operation, got.Body)
		}
	}
}

// TestFilesWithMistakesAreSaidAtLoad, with file and line.
func TestFilesWithMistakesAreSaidAtLoad(t *testing.T) {
	folder := folderOf(t, map[string]string{"moneda.tsv": "Id\tDesc\tFchDesde\tFchHasta\nPES\tPesos\t2009\tNULL\n"})
	register := filepath.Join(folderOf(t, map[string]string{"r.yaml": "taxpayers:\n  - cuit: 20111111113\n"}), "r.yaml")
	empty := t.TempDir()
	caddytest.InEmptyFolder(t)
	for _, test := range []struct{ option, want string }{
		{"tables " + folder, folder + `: moneda.tsv:2:11: FchDesde "2009": write a day as yyyymmdd, or NULL for an open end`},
		{"tables " + folder + "/gone", "there is no folder " + folder + "/gone"},
		{"tables " + empty, "the folder has none of actividad.tsv, cbte.tsv"},
		{"tables {env.FIELATO_NOT_SET}", "FIELATO_NOT_SET"},
		{"register " + register, register + ":2"},
		{"register " + register + ".gone", "there is no file " + register + ".gone"},
		{"register ./gone.yaml", string(filepath.Separator) + "gone.yaml"},
		{"register {env.FIELATO_NOT_SET}", "FIELATO_NOT_SET"},
	} {
		err := caddytest.Provision(t, []byte("http://localhost:80 {\n wsfev1_backend {\n "+test.option+"\n }\n}\n"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.option, err, test.want)
		}
	}
}

func TestJSONOptionsOfTheBackendAreValidatedToo(t *testing.T) {
	caddytest.InEmptyFolder(t)
	for _, test := range []struct{ members, want string }{
		{`"clock":{"mode":"sundial"}`, `unknown clock "sundial"`},
		{`"clock":{"mode":"fixed","offset":"1h"}`, "fixed takes a time alone"},
		{`"tickets":"closed"`, `unknown tickets "closed": use open or strict`},
		{`"rules":{"99999":"off"}`, "no rule has the code 99999"},
		{`"rules":{"10016":"never"}`, `unknown level "never"`},
		{`"rules":{"sequence":"off"}`, `"sequence" is not a code`},
		{`"events":[{"code":0,"text":"x"}]`, "the code is a number from 1"},
		{`"events":[{"code":1,"text":" "}]`, "event 1: it has no text"},
	} {
		if err := caddytest.ValidateJSON(t, `{"handler":"wsfev1_backend",`+test.members+`}`); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.members, err, test.want)
		}
	}
}

// TestARemarkOfTheRegisterThatIsEnforcedRejects: 10063, that the receiver has neither
// IVA nor Monotributo, is only remarked upon otherwise.
func TestARemarkOfTheRegisterThatIsEnforcedRejects(t *testing.T) {
	toNobodyWithTax := strings.NewReplacer(`"CbteTipo":6`, `"CbteTipo":1`, `"DocTipo":99,"DocNro":0`, `"DocTipo":80,"DocNro":33000100639`,
		`"CondicionIVAReceptorId":5`, `"CondicionIVAReceptorId":1`).Replace(caddytest.Invoice(1))
	for option, want := range map[string]string{"tickets open": `"A"`, "rule 10063 enforce": `"R"`} {
		s := caddytest.Start(t, withOptions(t, option))
		got := s.Post("FECAESolicitar", toNobodyWithTax)
		if got.At(t, "/FeCabResp/Resultado") != want || got.At(t, "/FeDetResp/FECAEDetResponse/0/Observaciones/Obs/0/Code") != "10063" {
			t.Errorf("%s: %s", option, got.Body)
		}
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

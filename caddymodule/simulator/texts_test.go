package simulator_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestOneClockDatesAnAnswer: FchProceso, and the header FEHeaderInfo of one in SOAP.
func TestOneClockDatesAnAnswer(t *testing.T) {
	s := caddytest.StartAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock fixed 2026-11-02T15:04:05Z"), nil)
	for _, test := range []struct{ moment, fecha, processed string }{
		{"", "2026-11-02T12:04:05-03:00", "20261102120405"},
		{"2026-11-02T22:30:00-03:00", "2026-11-02T22:30:00-03:00", "20261102223000"},
	} {
		if test.moment != "" {
			moveTo(s, test.moment)
		}
		for i, version := range []soap.Version{soap.V11, soap.V12} {
			issue := strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":`+string("12"[i]), 1)
			got := string(s.Call(version, "FECAESolicitar", issue).Body)
			if !strings.Contains(got, "<fecha>"+test.fecha+"</fecha>") || test.moment == "" && !strings.Contains(got, "<FchProceso>"+test.processed+"</FchProceso>") {
				t.Errorf("%s %v: %s", test.moment, version, got)
			}
			refused := string(s.Call(version, "FECAESolicitar", strings.Replace(issue, "121.00", "7.00", 1)).Body)
			if !strings.Contains(refused, "<fecha>"+test.fecha+"</fecha>") || !strings.Contains(refused, "<FchProceso>"+test.processed+"</FchProceso>") {
				t.Errorf("%s %v, refused by the gateway: %s", test.moment, version, refused)
			}
		}
	}
}

// TestASecondCAEAIsRefusedAsTheServiceRefusesIt, in each form and in its own words.
func TestASecondCAEAIsRefusedAsTheServiceRefusesIt(t *testing.T) {
	const says = "Existe un CAEA otorgado para la CUIT solicitante con el periodo y orden informado. Consultar el metodo FECAEAConsultar."
	service := withOptions(t, "clock fixed 2026-10-09T12:00:00-03:00", "texts arca")
	ask := `{` + caddytest.AuthText + `,"Periodo":202610,"Orden":1}`
	t.Run("granted", func(t *testing.T) {
		alone := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
		loadAlone(t, alone.URL, service)
		got := alone.Post("FECAEASolicitar", ask)
		if got.At(t, "/ResultGet/FchTopeInf") != `"20261020"` || got.At(t, "/ResultGet/Observaciones") != "" || got.At(t, "/ResultGet/CAEA") == "" {
			t.Errorf("%s", got.Body)
		}
	})
	s := caddytest.Start(t, service) // a gateway that knows nothing of the grant
	want := `{"ResultGet":{"Periodo":0,"Orden":0},"Errors":{"Err":[{"Code":15008,"Msg":"` + says + `"}]}}`
	if got := s.Post("FECAEASolicitar", ask); got.Status != 200 || string(got.Body) != want || s.Last().Outcome != "rejected" {
		t.Errorf("%s: got %s, want %s", s.Last().Outcome, got.Body, want)
	}
	want = "<ResultGet><Periodo>0</Periodo><Orden>0</Orden></ResultGet><Errors><Err><Code>15008</Code><Msg>" + says + "</Msg></Err></Errors>"
	for _, version := range []soap.Version{soap.V11, soap.V12} {
		if got := s.Call(version, "FECAEASolicitar", ask); got.Status != 200 || !strings.Contains(string(got.Body), want) {
			t.Errorf("%v: got %s, want %s", version, got.Body, want)
		}
	}
}

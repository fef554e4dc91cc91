package backend_test

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// inWordsOfARCA is a service with ARCA's sentences at the time of processed.
func inWordsOfARCA(t *testing.T, tickets func(wsfev1.Auth, time.Time) string) *backend.Backend {
	t.Helper()
	ledger, err := sqlite.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ledger.Close() })
	real, err := rules.NewRules(rules.Settings{DecidesState: true, Environment: rules.Production})
	if err != nil {
		t.Fatal(err)
	}
	service, err := backend.New(ledger, backend.Options{
		Clock: func() time.Time { return processed }, Texts: backend.TextsARCA, Tickets: tickets, Rules: real, Judge: real.Judge,
	})
	if err != nil {
		t.Fatal(err)
	}
	return service
}

func TestRefusedCredentialsInTheWordsOfTheService(t *testing.T) {
	ticket := func(service string, from, until time.Time) wsfev1.Secret {
		return wsfev1.Secret(base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `<sso version="2.0"><id gen_time="%d" exp_time="%d"/>`+
			`<operation type="login" value="granted"><login service=%q><relations><relation key="20111111112"/></relations></login></operation></sso>`,
			from.Unix(), until.Unix(), service)))
	}
	good := ticket("wsfe", processed.Add(-time.Hour), processed.Add(time.Hour))
	says := ""
	service := inWordsOfARCA(t, func(auth wsfev1.Auth, now time.Time) string {
		if says != "" {
			return says
		}
		return strictTickets(auth, now)
	})
	for want, auth := range map[string]wsfev1.Auth{
		"ValidacionDeToken: Parametro nulo o vacio (token)": {Sign: "sign", Cuit: 20111111112},
		"ValidacionDeToken: No valido token. Excepcion: CargarStringBase64Token: Excepción: CargarNodos: Error al cargar token XML. Excepcion: Data at the root level is invalid. Line 1, position 1.": {
			Token: "dG9rZW4=", Sign: "sign", Cuit: 20111111112,
		},
		"ValidacionDeToken: No validaron las fechas del token. GenTime=1, ExpTime=2, NowUTC=" + fmt.Sprint(processed.Unix()): {
			Token: ticket("wsfex", time.Unix(1, 0), time.Unix(2, 0)), Sign: "sign", Cuit: 20111111112,
		},
		"ValidacionDeToken: No valido Id Sistema: wsfe(Id Sistema de token es: wsfex)": {
			Token: ticket("wsfex", processed.Add(-time.Hour), processed.Add(time.Hour)), Sign: "sign", Cuit: 20111111112,
		},
		"ValidacionDeToken: No apareció CUIT en lista de relaciones: 23000000000": {Token: good, Sign: "sign", Cuit: 23000000000},
		"ValidacionDeToken: Error al verificar hash: ":                            {Token: good, Sign: "forged", Cuit: 20111111112},
	} {
		says = ""
		if auth.Sign == "forged" {
			says = wsaa.NotSigned
		}
		answer, err := service.Answer(t.Context(), &validate.Request{Operation: operation("FECompTotXRequest"), Body: &wsfev1.AuthRequest{Auth: auth}})
		if err != nil {
			t.Fatal(err)
		}
		got := answer.(*wsfev1.FECompTotXRequestAnswer)
		if failures := got.Failures(); got.RegXReq != 0 || len(failures) != 1 || failures[0] != (wsfev1.Err{Code: 600, Msg: want}) {
			t.Errorf("got %+v, want %s", got.Failures(), want)
		}
	}
}

func TestAnAmountOfTooManyDigitsInTheWordsOfTheService(t *testing.T) {
	op := operation("FECAESolicitar")
	body := string(expand(t, `{"Auth":{"Token":"token","Sign":"sign","Cuit":20267565393},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},`+
		`"FeDetReq":{"FECAEDetRequest":[{{invoice 1}}]}}}`))
	body = strings.NewReplacer(`"ImpTotal":121.00`, `"ImpTotal":121.001`, `"Importe":21.00`, `"Importe":21.0001`, `"MonCotiz":1`, `"MonCotiz":1.0000001`).Replace(body)
	request, found := validate.Decode(op, []byte(body), validate.ARCA)
	if len(found) > 0 {
		t.Fatal(found)
	}
	answer, err := inWordsOfARCA(t, nil).Answer(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for _, o := range answer.(*wsfev1.FECAESolicitarAnswer).FeDetResp.FECAEDetResponse[0].Observaciones.Obs {
		if o.Code == 10056 {
			said[o.Msg] = true
		}
	}
	for _, member := range []string{"ImpTotal", "Importe de AlicIva"} {
		if want := "El campo " + member + " soporta 13 numeros para la parte entera y 2 para los decimales."; !said[want] {
			t.Errorf("%q is not among %v", want, said)
		}
	}
	for text := range said {
		if strings.Contains(text, "MonCotiz soporta 13") {
			t.Errorf("a rate has other digits: %s", text)
		}
	}
}

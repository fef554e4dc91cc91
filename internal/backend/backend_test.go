package backend_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

func newService(t *testing.T) *backend.Backend {
	t.Helper()
	ledger, err := sqlite.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ledger.Close() })
	return serviceOn(t, ledger)
}

func serviceOn(t *testing.T, ledger backend.Ledger) *backend.Backend {
	t.Helper()
	service, err := backend.New(ledger, backend.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return service
}

func TestOneNumberWantedByManyIsAuthorisedOnce(t *testing.T) {
	service := newService(t)
	const rivals = 64
	results := make([]wsfev1.Verdict, rivals)
	var wait sync.WaitGroup
	for i := range rivals {
		wait.Go(func() {
			answer, err := service.Answer(t.Context(), &validate.Request{Operation: operation("FECAESolicitar"), Body: lotRequest(issuer, 1, 6, 1, 1)})
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = wsfev1.VerdictOf(answer)
		})
	}
	wait.Wait()
	approved := 0
	for _, r := range results {
		switch {
		case r.Resultado == wsfev1.Aprobado:
			approved++
		case !reflect.DeepEqual(r.Codes, []int32{10016}):
			t.Errorf("a rival was rejected with %v instead of 10016", r.Codes)
		}
	}
	if approved != 1 {
		t.Errorf("number 1 was authorised %d times", approved)
	}
}

func TestCodesAreUniqueAcrossIssuersAndVisiblyFalse(t *testing.T) {
	service := newService(t)
	seen := map[string]bool{}
	for i := range 5 {
		answer, err := service.Answer(t.Context(), &validate.Request{Operation: operation("FECAESolicitar"), Body: lotRequest(issuer+wsfev1.CUIT(i), 1, 6, 1, 3)})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range wsfev1.VerdictOf(answer).Invoices {
			if valid, simulated := backend.AuthorisationCode(v.Code); !valid || !simulated || seen[v.Code] {
				t.Errorf("code %q: valid %v, simulated %v, given before %v", v.Code, valid, simulated, seen[v.Code])
			}
			seen[v.Code] = true
		}
	}
	if len(seen) != 15 {
		t.Errorf("%d codes for 15 invoices", len(seen))
	}
}

func TestAuthorisationCodeTellsTheServicesOwnFromFalseOnes(t *testing.T) {
	for code, want := range map[string][2]bool{
		"71253948373333":  {true, false},
		"71253948373334":  {false, false},
		"96450000000012":  {true, true},
		"46430000000011":  {true, true},
		"9645000000001":   {false, false},
		"964500000000123": {false, false},
		"9645000000001x":  {false, false},
	} {
		valid, simulated := backend.AuthorisationCode(code)
		if got := [2]bool{valid, simulated}; got != want {
			t.Errorf("%s: valid and simulated %v, want %v", code, got, want)
		}
	}
}

func TestAnswerChangesNothingInTheRequest(t *testing.T) {
	service := newService(t)
	request := lotRequest(issuer, 1, 6, 1, 2)
	request.FeCAEReq.FeDetReq.FECAEDetRequest[1].CbteFch = ""
	before, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	answerOf(t, service, "FECAESolicitar", request)
	after, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Errorf("the request became\n%s, it was\n%s", after, before)
	}
}

func TestRestartForgetsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	ledger, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	first := answerOf(t, serviceOn(t, ledger), "FECAESolicitar", lotRequest(issuer, 1, 6, 1, 1)).(*wsfev1.FECAESolicitarAnswer)
	if err := ledger.Close(); err != nil {
		t.Fatal(err)
	}
	if ledger, err = sqlite.Open(path); err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	service := serviceOn(t, ledger)
	query := &wsfev1.FECompConsultarRequest{Auth: ticket(issuer), FeCompConsReq: wsfev1.FeCompConsReq{CbteTipo: 6, CbteNro: 1, PtoVta: 1}}
	found := answerOf(t, service, "FECompConsultar", query).(*wsfev1.FECompConsultarAnswer)
	cae := first.FeDetResp.FECAEDetResponse[0].CAE
	if found.ResultGet == nil || found.ResultGet.CodAutorizacion != cae || cae == "" {
		t.Errorf("after the restart %+v, want CAE %s", found.ResultGet, cae)
	}
	second := answerOf(t, service, "FECAESolicitar", lotRequest(issuer, 1, 6, 2, 1)).(*wsfev1.FECAESolicitarAnswer)
	if got := second.FeDetResp.FECAEDetResponse[0].CAE; got == cae || got == "" {
		t.Errorf("the invoice after the restart has CAE %q, the one before %q", got, cae)
	}
}

func answerOf(t *testing.T, service *backend.Backend, name string, request any) any {
	t.Helper()
	answer, err := service.Answer(t.Context(), &validate.Request{Operation: operation(name), Body: request})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// brokenLedger fails in everything.
type brokenLedger struct{ backend.Ledger }

var errBroken = errors.New("disk on fire")

func (brokenLedger) View(context.Context, func(backend.Reader) error) error { return errBroken }
func (brokenLedger) Update(context.Context, func(backend.Tx) error) error   { return errBroken }

func TestFaultOfTheLedgerIsAnErrorAndNoAnswer(t *testing.T) {
	service := serviceOn(t, brokenLedger{})
	advance := &wsfev1.FECAEARegInformativoRequest{Auth: ticket(issuer)}
	advance.FeCAEARegInfReq.FeCabReq = wsfev1.FeCabReq{CantReg: 1, PtoVta: 3, CbteTipo: 6}
	advance.FeCAEARegInfReq.FeDetReq.FECAEADetRequest = []wsfev1.FECAEADetRequest{{FECAEDetRequest: detail(1)}}
	fortnight := &wsfev1.FECAEASolicitarRequest{Auth: ticket(issuer), Periodo: 202611, Orden: 1}
	declaration := &wsfev1.FECAEASinMovimientoRequest{Auth: ticket(issuer), PtoVta: 3, CAEA: "46430000000011"}
	query := &wsfev1.FECompConsultarRequest{Auth: ticket(issuer)}
	query.FeCompConsReq = wsfev1.FeCompConsReq{CbteTipo: 6, CbteNro: 1, PtoVta: 1}
	for name, request := range map[string]any{
		"FECAESolicitar":               lotRequest(issuer, 1, 6, 1, 1),
		"FECAEARegInformativo":         advance,
		"FECAEASolicitar":              fortnight,
		"FECAEAConsultar":              fortnight,
		"FECAEASinMovimientoInformar":  declaration,
		"FECAEASinMovimientoConsultar": declaration,
		"FECompConsultar":              query,
		"FECompUltimoAutorizado":       &wsfev1.FECompUltimoAutorizadoRequest{Auth: ticket(issuer), PtoVta: 1, CbteTipo: 6},
	} {
		answer, err := service.Answer(t.Context(), &validate.Request{Operation: operation(name), Body: request})
		if !errors.Is(err, errBroken) || answer != nil {
			t.Errorf("%s: answer %v, error %v", name, answer, err)
		}
	}
	dummy := answerOf(t, service, "FEDummy", &wsfev1.FEDummyRequest{}).(*wsfev1.FEDummyAnswer)
	if dummy.DbServer != "NO" || dummy.AppServer != "OK" {
		t.Errorf("FEDummy says %+v", dummy)
	}
}

func TestAnswerRefusesARequestOfAnotherType(t *testing.T) {
	service := newService(t)
	for _, name := range []string{"FECAESolicitar", "FEDummy"} {
		if _, err := service.Answer(t.Context(), &validate.Request{Operation: operation(name), Body: &wsfev1.AuthRequest{Auth: ticket(issuer)}}); err == nil {
			t.Errorf("%s took an AuthRequest", name)
		}
	}
	if _, err := service.Answer(t.Context(), &validate.Request{Operation: nil, Body: &wsfev1.AuthRequest{}}); err == nil {
		t.Error("no operation was answered")
	}
	if _, err := backend.New(nil, backend.Options{}); err == nil {
		t.Error("a backend without a ledger was made")
	}
}

// TestWhatIsNoRequestIsAnError, and no panic.
func TestWhatIsNoRequestIsAnError(t *testing.T) {
	service := newService(t)
	for _, request := range []*validate.Request{
		nil,
		{},
		{Operation: operation("FECAESolicitar")},
		{Operation: operation("FECAESolicitar"), Body: (*wsfev1.FECAESolicitarRequest)(nil)},
		{Operation: operation("FECAESolicitar"), Body: new(wsfev1.FEDummyRequest)},
		{Operation: &wsfev1.Operation{Name: "FECAESolicitar"}, Body: new(wsfev1.FECAESolicitarRequest)},
	} {
		if answer, err := service.Answer(t.Context(), request); err == nil {
			t.Errorf("%+v is answered with %+v", request, answer)
		}
	}
}

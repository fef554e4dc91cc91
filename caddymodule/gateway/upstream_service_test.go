package gateway_test

import (
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1/soap"
)

// soapService is a service that speaks SOAP and nothing else. Its answers come from the built-in
// service, unless fault has one.
type soapService struct {
	*caddytest.Stub
	t       *testing.T
	service *backend.Backend
	// fault answers the next issuing request, nil for none. It may carry the request out.
	fault atomic.Pointer[func(w http.ResponseWriter, carryOut func() []byte)]
	// reads is what it makes of a message before it reads it, nil for nothing.
	reads func(message []byte) []byte
}

func newSOAPService(t *testing.T) *soapService {
	t.Helper()
	ledger, err := sqlite.Open(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ledger.Close() })
	a := &soapService{t: t}
	if a.service, err = backend.New(ledger, backend.Options{}); err != nil {
		t.Fatal(err)
	}
	a.Stub = caddytest.NewStub(t, a.serve)
	return a
}

func (a *soapService) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	came := len(body)
	if a.reads != nil {
		body = a.reads(body)
	}
	media, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	envelope, err := soap.Open(body, parameters["charset"])
	if err != nil || r.URL.Path != "/wsfev1/service.asmx" || r.URL.RawQuery != "" || r.ContentLength != int64(came) {
		a.t.Errorf("the service got %s %s, %d bytes: %v\n%s", media, r.URL, r.ContentLength, err, body)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	action := r.Header.Get("SOAPAction") + parameters["action"]
	if want := strings.TrimSuffix(envelope.Version.MediaType(), "; charset=utf-8"); media != want || action == "" {
		a.t.Errorf("SOAP %s came as %q with action %q", envelope.Version, media, action)
	}
	op, err := envelope.Route(action)
	if err != nil {
		a.t.Errorf("the service got the action %q: %v\n%s", action, err, body)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	request, findings := validate.OfSOAP(envelope.Decode(op), validate.ARCA)
	if len(findings) > 0 {
		a.t.Errorf("the service got\n%s\n%+v", body, findings)
	}
	carryOut := func() []byte {
		answer, err := a.service.Answer(r.Context(), request)
		if err != nil {
			a.t.Errorf("%s: %v", op.Name, err)
		}
		message, err := soap.AppendAnswer(nil, envelope.Version, op, answer, soap.Info{Ambiente: "Prueba", ID: "1.0"})
		if err != nil {
			a.t.Errorf("%s: %v", op.Name, err)
		}
		return message
	}
	if op.Name == "FECAESolicitar" {
		if fault := a.fault.Swap(nil); fault != nil {
			(*fault)(w, carryOut)
			return
		}
	}
	w.Header().Set("Content-Type", envelope.Version.MediaType())
	_, _ = w.Write(carryOut())
}

// failOnce lets the next issuing request fail.
func (a *soapService) failOnce(fault func(w http.ResponseWriter, carryOut func() []byte)) {
	a.fault.Store(&fault)
}

// toSOAP is the next handler that forwards to a service that speaks SOAP.
func toSOAP(address string, options ...string) string {
	return "wsfev1_arca " + address + " {\n" + strings.Join(options, "\n") + "\n}"
}

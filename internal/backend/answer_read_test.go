package backend_test

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestAnAnswerReadsAsItWasMade, if ReadsAsMade says so: a gateway in the same process takes it as it is.
func TestAnAnswerReadsAsItWasMade(t *testing.T) {
	service := newService(t)
	next := int64(1)
	for name, c := range map[string]struct {
		spoil    func([]wsfev1.FECAEDetRequest)
		approved int64
		made     bool
	}{
		"approved":  {func([]wsfev1.FECAEDetRequest) {}, 20, true},
		"observed":  {func(d []wsfev1.FECAEDetRequest) { d[3].DocTipo, d[3].DocNro = 80, 30000102179 }, 20, true},
		"partial":   {func(d []wsfev1.FECAEDetRequest) { d[7].CbteFch = `2026"\ñ` }, 7, true},
		"rejected":  {func(d []wsfev1.FECAEDetRequest) { d[0].CbteFch = "20261301" }, 0, true},
		"a gap":     {func(d []wsfev1.FECAEDetRequest) { d[0].CbteDesde, d[0].CbteHasta = 900_000, 900_000 }, 0, false},
		"no ticket": {nil, 0, false},
	} {
		request := lotRequest(issuer, 1, 6, next, 20)
		if c.spoil == nil {
			request.Auth.Token = ""
		} else {
			c.spoil(request.FeCAEReq.FeDetReq.FECAEDetRequest)
		}
		next += c.approved
		answer := answerOf(t, service, "FECAESolicitar", request)
		if got := backend.ReadsAsMade(answer); got != c.made {
			t.Errorf("%s: reads as made: %v", name, got)
		}
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		read := new(wsfev1.FECAESolicitarAnswer)
		if found := validate.DecodeAnswer(operation("FECAESolicitar").Answer, text, read); c.made && (len(found) > 0 || !reflect.DeepEqual(read, answer)) {
			t.Errorf("%s: %s is read with %v", name, text, found)
		}
	}
	if backend.ReadsAsMade(&wsfev1.FEDummyAnswer{}) || backend.ReadsAsMade((*wsfev1.FECAESolicitarAnswer)(nil)) {
		t.Error("an answer of another kind")
	}
}

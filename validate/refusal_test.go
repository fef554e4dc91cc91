package validate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// atMidnight is 20 November 2026, 23:30:05 in Argentina, the next day in Greenwich.
var atMidnight = time.Date(2026, 11, 21, 2, 30, 5, 0, time.UTC)

func refusal(t *testing.T, name, text string, more ...validate.Finding) string {
	t.Helper()
	req, found := judge(t, name, text)
	answer := validate.Refusal(req, append(found, more...), atMidnight)
	written, err := json.Marshal(answer, jsontext.WithIndent("  "))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written, req.Operation.NewAnswer(), json.RejectUnknownMembers(true)); err != nil {
		t.Errorf("the refusal is no answer of %s: %v", name, err)
	}
	return string(written) + "\n"
}

// One right invoice between two that are wrong, each with its keys.
var (
	keys  = "Concepto=1 DocTipo=96 DocNro=30111222 CbteFch=\"20261120\" "
	three = []string{
		keys + "CbteDesde=7 CbteHasta=7 ImpTotal=121.05 ImpNeto=100.00 ImpIVA=21.00 Iva=5/100.00/21.00",
		keys + "CbteDesde=8 CbteHasta=8 ImpTotal=121.00 ImpNeto=100.00 ImpIVA=21.00 Iva=5/100.00/21.00",
		keys + "CbteDesde=9 CbteHasta=9 ImpTotal=121.00 ImpNeto=100.00 ImpIVA=21.00 ImpTrib=0 Iva=5/100.00/21.05 Tributos=",
	}
)

func TestRefusalOfInvoicesForCAE(t *testing.T) {
	golden(t, "refusal/cae-invoices.json", refusal(t, "FECAESolicitar", lotJSON("FECAESolicitar", 3, 6, three...)))
}

func TestRefusalOfTheHeaderForCAE(t *testing.T) {
	golden(t, "refusal/cae-header.json", refusal(t, "FECAESolicitar", lotJSON("FECAESolicitar", 9999, 6, three...)))
}

func TestRefusalOfTheHeaderUnderAnAdvanceCode(t *testing.T) {
	golden(t, "refusal/caea-header.json",
		refusal(t, "FECAEARegInformativo", lotJSON("FECAEARegInformativo", 2, 6, three...)))
}

// No rule of the catalogue is about the invoices of a CAEA: the findings are made here.
func TestRefusalOfInvoicesUnderAnAdvanceCode(t *testing.T) {
	invoice := keys + `CbteDesde=7 CbteHasta=7 CAEA="26477000000000"`
	const pointer = "/FeCAEARegInfReq/FeDetReq/FECAEADetRequest/1/"
	golden(t, "refusal/caea-invoices.json",
		refusal(t, "FECAEARegInformativo", lotJSON("FECAEARegInformativo", 2, 6, invoice, invoice),
			validate.Finding{Code: "900", Severity: validate.EXC, Invoice: 1, Pointer: pointer + "Tributos", Text: "Faltan los tributos."},
			validate.Finding{
				Code: "724", Severity: validate.OBS, Invoice: 1, Pointer: pointer + "ImpTotal", Text: "No cierra.",
				Expected: "1", Got: "2", Tolerance: "0.01",
			}))
}

func TestABreakOfTheSequenceRejectsTheInvoicesWithoutRemarks(t *testing.T) {
	golden(t, "refusal/cae-sequence.json",
		refusal(t, "FECAESolicitar", lotJSON("FECAESolicitar", 1, 6, three[1]),
			validate.Finding{Code: "10016", Severity: validate.SEQ, Invoice: 0, Text: "El número no es el siguiente."}))
}

func TestRefusalOfARequestThatIsNoLotHasErrorsAlone(t *testing.T) {
	for _, op := range wsfev1.Operations {
		if op.Family == wsfev1.FamilyIssuing || op.Family == wsfev1.FamilyHealth {
			continue
		}
		got := refusal(t, op.Name, sample(op.Request, true).text(),
			validate.Finding{Code: "10200", Severity: validate.ERR, Invoice: validate.Header, Text: "No.", Got: "0"})
		answer := op.NewAnswer()
		if err := json.Unmarshal([]byte(got), answer); err != nil {
			t.Fatal(err)
		}
		errs := answer.(interface{ Failures() []wsfev1.Err }).Failures()
		if len(errs) != 1 || errs[0].Code != 10200 || errs[0].Msg != "No. Se recibió 0." || strings.Contains(got, "ResultGet") {
			t.Errorf("%s: %s", op.Name, got)
		}
	}
}

func TestARefusalShowsNoCredential(t *testing.T) {
	text := strings.ReplaceAll(lotJSON("FECAESolicitar", 9, 6, three...), `"t"`, `"hunter2"`)
	if got := refusal(t, "FECAESolicitar", text); strings.Contains(got, "hunter2") {
		t.Error(got)
	}
}

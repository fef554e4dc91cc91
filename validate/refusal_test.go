package validate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/validatetest"
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

// three has one right invoice between two that are wrong.
var three = []string{
	"CbteDesde=7", "CbteHasta=7", "x3", "ImpTotal=121.05",
	"2:ImpTrib=0", "2:Tributos={}", "2:Iva/AlicIva/0/Importe=21.05", "2:ImpTotal=121.00",
}

// refusalOf is refusal for a changed valid request.
func refusalOf(t *testing.T, template string, changes []string, more ...validate.Finding) string {
	t.Helper()
	operation, body := validatetest.Changed(t, template, template, changes)
	return refusal(t, operation, string(body), more...)
}

func TestRefusalOfInvoicesForCAE(t *testing.T) {
	validatetest.Golden(t, "refusal/cae-invoices.json", refusalOf(t, "factura-b", three))
}

func TestRefusalOfTheHeaderForCAE(t *testing.T) {
	validatetest.Golden(t, "refusal/cae-header.json", refusalOf(t, "factura-b", append(slices.Clone(three), "#CantReg=9999")))
}

func TestRefusalOfTheHeaderUnderAnAdvanceCode(t *testing.T) {
	validatetest.Golden(t, "refusal/caea-header.json", refusalOf(t, "caea-factura-b", append(slices.Clone(three), "#CantReg=2")))
}

// The second of two lacks its tributes, and its total is a remark beside that.
func TestRefusalOfInvoicesUnderAnAdvanceCode(t *testing.T) {
	validatetest.Golden(t, "refusal/caea-invoices.json",
		refusalOf(t, "caea-factura-b", []string{"CbteDesde=7", "CbteHasta=7", "x2", "1:ImpTrib=1"}))
}

// The first is only remarked upon; the second is refused.
func TestARemarkDoesNotStopTheLot(t *testing.T) {
	got := refusalOf(t, "nota-periodo-b", []string{
		"x2", "ImpTrib=5", "ImpTotal=126", `PeriodoAsoc/FchDesde="20261031"`, "1:ImpTotal=122",
		`Tributos={"Tributo":[{"Id":7,"Desc":"x","BaseImp":0,"Alic":0,"Importe":5}]}`,
	})
	for text, want := range map[string]int{"10209": 0, "El comprobante 2 de 2 detiene": 1} {
		if n := strings.Count(got, text); n != want {
			t.Errorf("%q is there %d times, want %d: %s", text, n, want, got)
		}
	}
}

// TestWhatComesAfterTheStopIsNotSaid: the first invoice that is refused decides.
func TestWhatComesAfterTheStopIsNotSaid(t *testing.T) {
	got := refusalOf(t, "factura-b", []string{"x3", "1:ImpTotal=122", "2:CbteDesde=9", "2:CbteHasta=9"})
	for text, want := range map[string]int{`"Errors"`: 0, "10016": 0, `"Code": 10048`: 1} {
		if n := strings.Count(got, text); n != want {
			t.Errorf("%q is there %d times, want %d: %s", text, n, want, got)
		}
	}
}

// TestARefusedInvoiceWithoutADateHasTheDayOfTheAnswer, which is Argentina's.
func TestARefusedInvoiceWithoutADateHasTheDayOfTheAnswer(t *testing.T) {
	got := refusalOf(t, "factura-b", []string{"-CbteFch", "ImpTotal=122"})
	if !strings.Contains(got, `"CbteFch": "20261120"`) {
		t.Error(got)
	}
}

func TestABreakOfTheSequenceRejectsTheInvoicesWithoutRemarks(t *testing.T) {
	validatetest.Golden(t, "refusal/cae-sequence.json",
		refusalOf(t, "factura-b", []string{"CbteDesde=8", "CbteHasta=8"}, validate.Finding{
			Code: "10016", Severity: validate.SEQ, Action: validate.ActionRefuse, Invoice: 0,
			Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/CbteDesde", Text: "El número no es el siguiente.",
		}))
}

// A date outside of its window hides what else is wrong with the invoice, as the service stops there.
func TestADateOutsideOfItsWindowIsAllThatARefusalSays(t *testing.T) {
	got := refusalOf(t, "factura-b", []string{`CbteFch="20261114"`, "ImpTotal=122"})
	for text, want := range map[string]int{`"Code": 10016`: 1, `"Code"`: 1, `"Errors"`: 0} {
		if n := strings.Count(got, text); n != want {
			t.Errorf("%s %d times, want %d: %s", text, n, want, got)
		}
	}
}

func TestRefusalOfARequestThatIsNoLotSaysWhatIsWrongInErrors(t *testing.T) {
	for _, op := range wsfev1.Operations {
		if op.Family == wsfev1.FamilyIssuing || op.Family == wsfev1.FamilyHealth {
			continue
		}
		req, shape := validate.Decode(op, []byte(sample(op.Request, true).text()), validate.ARCA)
		if len(shape) > 0 {
			t.Fatalf("%s: %v", op.Name, validatetest.Brief(shape))
		}
		written, err := json.Marshal(validate.Refusal(req, []validate.Finding{{
			Code: "10200", Severity: validate.ERR, Action: validate.ActionRefuse, Invoice: validate.Header,
			Pointer: "/PtoVta", Text: "No.", Got: "0",
		}}, atMidnight))
		if err != nil {
			t.Fatal(err)
		}
		answer := op.NewAnswer()
		if err := json.Unmarshal(written, answer, json.RejectUnknownMembers(true)); err != nil {
			t.Fatalf("the refusal is no answer of %s: %v", op.Name, err)
		}
		errs := answer.(interface{ Failures() []wsfev1.Err }).Failures()
		if len(errs) != 1 || errs[0].Code != 10200 || errs[0].Msg != "No. Se recibió 0. (/PtoVta)" {
			t.Errorf("%s: %s", op.Name, written)
		}
	}
}

func TestARefusalShowsNoCredential(t *testing.T) {
	changes := append(slices.Clone(three), "#CantReg=9", `/Auth/Token="hunter2"`, `/Auth/Sign="hunter2"`)
	if got := refusalOf(t, "factura-b", changes); strings.Contains(got, "hunter2") {
		t.Error(got)
	}
}

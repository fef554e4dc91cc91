package documents

import (
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// asGateway judges a document as a gateway with this book would, on 2026-11-20.
func asGateway(t *testing.T, book *intake.Book, document string) (*Result, *Answer) {
	t.Helper()
	j := &Judge{
		Redactor: forms.NewRedactor(), Book: book.ForReader(nil), Fallback: wsfev1.OperationByName("FECAESolicitar"),
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, wsfev1.Argentina) },
	}
	doc, err := NewReader(strings.NewReader(document), MaxDocument).Next()
	if err != nil {
		t.Fatal(err)
	}
	result := j.Document(doc)
	result.LocateIn(doc.Body)
	answer, err := j.Answer(result)
	if err != nil {
		t.Fatal(err)
	}
	return result, answer
}

// wrong is an invoice that rule 10048 refuses, with a member a line.
func wrong() string {
	return strings.ReplaceAll(strings.Replace(fixture.Invoice(1), "121.00", "150.00", 1), ",", ",\n")
}

// message writes a request as a SOAP message.
func message(t *testing.T, body string) string {
	t.Helper()
	request, findings := validate.Decode(wsfev1.OperationByName("FECAESolicitar"), []byte(body), validate.ARCA)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	text, err := soap.AppendRequest(nil, soap.V11, request.Operation, request.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheAnswerIsThatOfTheGateway, in the form of the request.
func TestTheAnswerIsThatOfTheGateway(t *testing.T) {
	foreign := &intake.Book{Allows: func(wsfev1.CUIT) bool { return false }}
	inMessage := message(t, wrong())
	for name, test := range map[string]struct {
		book           *intake.Book
		document       string
		status         int
		has, otherwise string
	}{
		"right":                        {intake.Standard, fixture.Invoice(1), 0, "", ""},
		"right in SOAP":                {intake.Standard, message(t, fixture.Invoice(1)), 0, "", ""},
		"a rule":                       {intake.Standard, wrong(), 200, `"Resultado":"R"`, `"Code":10048,"Msg":"ImpTotal es 150,00`},
		"a rule that is only observed": {&intake.Book{Contract: validate.ARCA, Observe: true}, wrong(), 0, "", ""},
		"a rule in SOAP":               {intake.Standard, inMessage, 200, "<FECAESolicitarResult>", "<Msg>ImpTotal es 150,00"},
		"the shape":                    {intake.Standard, strings.Replace(wrong(), `"Concepto"`, `"concepto"`, 1), 400, `"shape.case"`, "concepto"},
		"the shape in SOAP":            {intake.Standard, strings.Replace(inMessage, ">150.00<", ">x<", 1), 500, "Fault", "shape.kind"},
		"no JSON":                      {intake.Standard, `{"FeCAEReq":`, 400, `"shape.syntax"`, ""},
		"no message":                   {intake.Standard, `<html></html>`, 500, "Fault", ""},
		"an issuer that cannot be":     {intake.Standard, strings.Replace(fixture.Invoice(1), "20111111112", "999999999999", 1), 200, `"Code":600`, ""},
		"a foreign issuer":             {foreign, fixture.Invoice(1), 403, `"http.cuit"`, ""},
		"an answer":                    {intake.Standard, `{"FeCabResp":{}}`, 0, "", ""},
	} {
		_, answer := asGateway(t, test.book, test.document)
		switch {
		case answer == nil && test.status == 0:
		case answer == nil:
			t.Errorf("%s: no answer", name)
		case answer.Status != test.status || !strings.Contains(string(answer.Body), test.has) || !strings.Contains(string(answer.Body), test.otherwise):
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
	}
}

// TestARequestWithoutTicketIsJudged, and says so.
func TestARequestWithoutTicketIsJudged(t *testing.T) {
	bare := strings.NewReplacer(`"Token":"`+fixture.Token+`",`, "", `"Sign":"`+fixture.Sign+`",`, "").Replace(strings.Replace(fixture.Invoice(1), "121.00", "150.00", 1))
	if result, _ := asGateway(t, intake.Standard, bare); !result.NoTicket || len(result.Findings) != 1 || result.Findings[0].Code != "10048" {
		t.Errorf("without a ticket: %v, %+v", result.NoTicket, result.Findings)
	}
	if result, _ := asGateway(t, intake.Standard, wrong()); result.NoTicket {
		t.Error("one with a ticket is said to have none")
	}
}

// TestWhatIsFilledInIsJudged as the gateway would.
func TestWhatIsFilledInIsJudged(t *testing.T) {
	filler, err := fill.NewSource(nil, []int32{5})
	if err != nil {
		t.Fatal(err)
	}
	book := &intake.Book{Contract: validate.ARCA, Filler: filler}
	lacking := strings.Replace(fixture.Invoice(1), `"CondicionIVAReceptorId":5,`, "", 1)
	if result, _ := asGateway(t, intake.Standard, lacking); len(result.Findings) != 1 || result.Findings[0].Code != "10245" {
		t.Fatalf("without fill: %+v", result.Findings)
	}
	if result, _ := asGateway(t, book, lacking); len(result.Findings) != 1 || result.Findings[0].Code != fill.CodeFilled || result.Refused() {
		t.Errorf("with fill: %+v", result.Findings)
	}
}

// TestFindingsStandAtTheirMembers, also where the member itself is missing or nothing can be read.
func TestFindingsStandAtTheirMembers(t *testing.T) {
	lineOf := func(document, member string) int {
		before, _, _ := strings.Cut(document, member)
		return strings.Count(before, "\n") + 1
	}
	for name, test := range map[string]struct {
		document string
		line     int
	}{
		"a member":          {wrong(), lineOf(wrong(), `"ImpTotal"`)},
		"after a mark":      {"\xef\xbb\xbf" + wrong(), 1},
		"behind lines":      {"\n\n" + wrong(), 2 + lineOf(wrong(), `"ImpTotal"`)},
		"cut off":           {wrong()[:len(wrong())-9], strings.Count(wrong(), "\n") + 1},
		"unknown":           {strings.Replace(wrong(), `"DocNro"`, `"X":{"Y":[1,2]},"DocNro"`, 1), lineOf(wrong(), `"DocNro"`)},
		"below a long name": {`{"` + strings.Repeat("x", 1<<20) + `":[` + strings.Repeat("1,", 1<<20) + "1]}", 1},
		"deep, and no more": {`{"X":` + strings.Repeat("[", 9000) + strings.Repeat("1,", 20000), 1},
	} {
		result, _ := asGateway(t, intake.Standard, test.document)
		if len(result.Findings) == 0 {
			t.Errorf("%s: no findings", name)
			continue
		}
		if at := result.PlaceOf(result.Findings[0].Pointer); at.Line != test.line {
			t.Errorf("%s: %+v at %+v, want line %d", name, result.Findings[0], at, test.line)
		}
	}
}

// TestTheAnswerHasNoCredentials, however wrong the document is.
func TestTheAnswerHasNoCredentials(t *testing.T) {
	m := fixture.NewMarkers()
	answered := 0
	requests := fixture.RequestsWithCredentials()
	requests["in SOAP"] = strings.NewReplacer(fixture.Token, "$T", fixture.Sign, "$S", ">PES<", ">$T<").Replace(message(t, wrong()))
	requests["in SOAP, misnamed"] = strings.NewReplacer("Token>", "token>", ">150.00<", ">$T<").Replace(requests["in SOAP"])
	requests["a date"] = strings.NewReplacer(fixture.Token, "$T", fixture.Sign, "$S", `"Concepto"`, `"CbteFch":"$T","Concepto"`).Replace(wrong())
	for name, request := range requests {
		result, answer := asGateway(t, intake.Standard, m.In(request))
		for _, f := range result.Findings {
			m.AbsentFrom(t, name, []byte(f.Message()+f.Got+f.Expected))
		}
		if answer != nil {
			answered += len(answer.Body)
			m.AbsentFrom(t, name, answer.Body)
		}
	}
	if answered < 3000 {
		t.Errorf("only %d bytes were looked through", answered)
	}
}

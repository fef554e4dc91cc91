package intake_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

var issuing = wsfev1.OperationByName("FECAESolicitar")

// at is before the first day of the rule about the receiver's condition, later after it.
var (
	at    = time.Date(2026, 11, 20, 12, 0, 0, 0, wsfev1.Argentina)
	later = time.Date(2026, 12, 2, 12, 0, 0, 0, wsfev1.Argentina)
)

// decide lets a book decide about an invoice in JSON, or about the same in SOAP.
func decide(t *testing.T, book *intake.Book, body string, inSOAP bool, now time.Time) (*intake.Decision, intake.Form) {
	t.Helper()
	form := intake.InJSON([]byte(body))
	if inSOAP {
		request, findings := validate.Decode(issuing, []byte(body), validate.ARCA)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		message, err := soap.AppendRequest(nil, soap.V11, issuing, request.Body)
		if err != nil {
			t.Fatal(err)
		}
		envelope, err := soap.Open(message, "")
		if err != nil {
			t.Fatal(err)
		}
		form = intake.InSOAP(binding.CallOf(envelope))
	}
	return book.Decide(intake.Message{Form: form, Operation: issuing, Redactor: mask.NewRedactor([]byte("key")), At: now}), form
}

// newBook returns the book of a gateway, which may change it.
func newBook(t *testing.T, change func(*intake.Book)) *intake.Book {
	t.Helper()
	own, err := rules.NewRules(rules.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	book := &intake.Book{Contract: validate.ARCA, Rules: own, Replays: true}
	if change != nil {
		change(book)
	}
	return book
}

// TestADecisionIsTheSameInEitherForm: typed request, findings, and the request that is sent.
func TestADecisionIsTheSameInEitherForm(t *testing.T) {
	lacking := strings.Replace(fixture.Invoice(1), `"CondicionIVAReceptorId":5,`, "", 1)
	filler, err := fill.NewSource(nil, []int32{5})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		body   string
		change func(*intake.Book)
		now    time.Time
		// ends: it is refused. deferred: it is, unless it repeats one that was sent.
		ends, deferred bool
		codes          string
	}{
		"right":                     {fixture.Invoice(1), nil, at, false, false, ""},
		"a wrong total":             {strings.Replace(fixture.Invoice(1), "121.00", "150.00", 1), nil, at, false, true, "10048"},
		"a wrong total, no repeats": {strings.Replace(fixture.Invoice(1), "121.00", "150.00", 1), func(b *intake.Book) { b.Replays = false }, at, true, false, "10048"},
		"a wrong total, observed":   {strings.Replace(fixture.Invoice(1), "121.00", "150.00", 1), func(b *intake.Book) { b.Observe = true }, at, false, false, "10048"},
		"a foreign issuer":          {fixture.Invoice(1), func(b *intake.Book) { b.Allows = func(wsfev1.CUIT) bool { return false } }, at, true, false, ""},
		"a ticket that is refused":  {fixture.Invoice(1), func(b *intake.Book) { b.RefusesTicket = func(wsfev1.Auth, time.Time) string { return "venció" } }, at, true, false, "600"},
		"filled in":                 {lacking, func(b *intake.Book) { b.Filler = filler }, later, false, false, fill.CodeFilled},
		"not filled in":             {lacking, nil, at, false, false, "10245"},
		"new rule, no repeats":      {lacking, func(b *intake.Book) { b.Replays = false }, later, true, false, "10246"},
		"new rule, may be a repeat": {lacking, nil, later, false, true, "10246"},
	} {
		book := newBook(t, test.change)
		inJSON, _ := decide(t, book, test.body, false, test.now)
		inSOAP, _ := decide(t, book, test.body, true, test.now)
		for form, d := range map[string]*intake.Decision{"JSON": inJSON, "SOAP": inSOAP} {
			var codes []string
			for _, f := range d.Findings {
				codes = append(codes, f.Code)
			}
			if d.Ends() != test.ends || strings.Join(codes, " ") != test.codes {
				t.Errorf("%s in %s: ends %v, findings %v", name, form, d.Ends(), codes)
			}
		}
		sentJSON, _ := inJSON.Sent()
		sentSOAP, documentOfSOAP := inSOAP.Sent()
		if !reflect.DeepEqual(sentJSON.Body, sentSOAP.Body) || !reflect.DeepEqual(inJSON.Subject, inSOAP.Subject) {
			t.Errorf("%s: JSON and SOAP differ", name)
		}
		var again wsfev1.FECAESolicitarRequest
		if err := json.Unmarshal(documentOfSOAP, &again); err != nil || !reflect.DeepEqual(&again, sentSOAP.Body) {
			t.Errorf("%s: the document is not the typed request: %v", name, err)
		}
		if (len(inJSON.Deferred) > 0) != test.deferred || (len(inSOAP.Deferred) > 0) != test.deferred {
			t.Errorf("%s: deferred %v and %v", name, inJSON.Deferred, inSOAP.Deferred)
		}
	}
}

// TestWhatIsFilledInLeavesTheRequestAsItCame: its repeats are found by it.
func TestWhatIsFilledInLeavesTheRequestAsItCame(t *testing.T) {
	lacking := strings.Replace(fixture.Invoice(1), `"CondicionIVAReceptorId":5,`, "", 1)
	filler, err := fill.NewSource(nil, []int32{5})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := decide(t, newBook(t, func(b *intake.Book) { b.Filler = filler }), lacking, false, at)
	sent, document := d.Sent()
	if string(d.Body) != lacking || wsfev1.LotOf(d.Request.Body).Invoice(0).CondicionIVAReceptorId != nil {
		t.Error("the request that came was changed")
	}
	if id := wsfev1.LotOf(sent.Body).Invoice(0).CondicionIVAReceptorId; id == nil || *id != 5 || !strings.Contains(string(document), `"CondicionIVAReceptorId":5`) {
		t.Errorf("sent %s", document)
	}
}

// TestRefusalsAreInTheFormOfTheClient.
func TestRefusalsAreInTheFormOfTheClient(t *testing.T) {
	foreign := newBook(t, func(b *intake.Book) { b.Allows = func(wsfev1.CUIT) bool { return false } })
	for _, inSOAP := range []bool{false, true} {
		d, form := decide(t, foreign, fixture.Invoice(1), inSOAP, at)
		reply, err := d.Reply()
		if err != nil {
			t.Fatal(err)
		}
		written, err := form.Answer(intake.Answer{Operation: issuing, Refusal: d.Refusal, Reply: reply})
		if isXML := strings.HasPrefix(string(written.Body), "<"); err != nil || isXML != inSOAP || !strings.Contains(string(written.Body), "http.cuit") {
			t.Errorf("SOAP %v: %v %s", inSOAP, err, written.Body)
		}
	}
}

// TestFindingsQuoteNoCredentials, wherever a client puts them.
func TestFindingsQuoteNoCredentials(t *testing.T) {
	m := fixture.NewMarkers()
	for name, request := range fixture.RequestsWithCredentials() {
		d, _ := decide(t, newBook(t, nil), m.In(request), false, at)
		for _, f := range d.Findings {
			m.AbsentFrom(t, name, []byte(f.Pointer+f.Path+f.Text+f.Got+f.Expected))
		}
	}
}

package intake_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/internal/once/canonical"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// judged lets a book decide about a request in JSON or in SOAP.
func judged(t rapid.TB, book *intake.Book, op *wsfev1.Operation, text string, inSOAP bool) *intake.Decision {
	t.Helper()
	form := intake.InJSON([]byte(text))
	if inSOAP {
		envelope, err := soap.Open([]byte(text), "")
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if named, err := envelope.Route(""); err != nil || named != op {
			t.Fatalf("%v: %s", err, text)
		}
		form = intake.InSOAP(binding.CallOf(envelope))
	}
	return book.Decide(intake.Message{Form: form, Operation: op, Redactor: mask.NewRedactor([]byte("key")), At: later})
}

// told returns what a decision says, but for the places and words of each form.
func told(d *intake.Decision) (all []string) {
	for _, f := range d.Findings {
		all = append(all, fmt.Sprint(f.Code, f.Severity, f.Pointer, f.Invoice, f.Text, f.Expected, f.Got, f.Tolerance, f.Action))
	}
	return append(all, fmt.Sprint(d.Ends(), len(d.Deferred), d.WellFormed, d.Subject))
}

// alike holds a request in one form against the same in the other: typed request, fingerprint and findings are the
// same, and the service gets the same figures.
func alike(t rapid.TB, op *wsfev1.Operation, inJSON, inSOAP *intake.Decision) {
	t.Helper()
	if got, want := told(inSOAP), told(inJSON); !slices.Equal(got, want) {
		t.Fatalf("in SOAP\n%v\nin JSON\n%v", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text := canonical.Append(nil, inJSON.Request.Body)
	for form, d := range map[string]*intake.Decision{"SOAP": inSOAP, "JSON": inJSON} {
		if !d.WellFormed {
			t.Fatalf("%s: %v", form, d.Findings)
		}
		_, sent := d.Sent()
		again, findings := validate.Decode(op, sent, validate.ARCA)
		if len(findings) > 0 || !bytes.Equal(canonical.Append(nil, again.Body), text) || !bytes.Equal(canonical.Append(nil, d.Request.Body), text) {
			t.Fatalf("%s: %v, the service gets %s in place of %s", form, findings, sent, text)
		}
	}
}

// draw fills a request with what clients send, right and wrong. Everything is there that a request in JSON must have.
func draw(t *rapid.T, shape *wsfev1.Shape, v reflect.Value) {
	switch shape.Kind {
	case wsfev1.KindObject:
		for i := range shape.Members {
			m := &shape.Members[i]
			field := v.FieldByIndex(m.Index)
			if m.Pointer {
				if !m.Required && rapid.Bool().Draw(t, "absent") {
					continue
				}
				field.Set(reflect.New(m.Shape.Type))
				field = field.Elem()
			}
			draw(t, m.Shape, field)
		}
	case wsfev1.KindList:
		n := rapid.IntRange(1, 3).Draw(t, "items")
		v.Set(reflect.MakeSlice(shape.Type, n, n))
		for i := range n {
			draw(t, shape.Item, v.Index(i))
		}
	case wsfev1.KindText:
		v.SetString(rapid.SampledFrom([]string{"PES", "DOL", "20261120", "20261131", "S", "1", " x\t&<\"ñ", "\r\n", "30500010912", "\u00A0", "75123456789012"}).Draw(t, "text"))
	case wsfev1.KindInteger:
		limit := int64(1)<<(shape.Bits-1) - 1
		v.SetInt(rapid.SampledFrom([]int64{0, 1, 1, 1, 2, 3, 5, 6, 80, 99, -1, limit, -limit - 1}).Draw(t, "integer"))
	case wsfev1.KindAmount:
		units, scale := rapid.SampledFrom([]int64{0, 1, 100, 12100, -12100, 999_999_999_999_999}).Draw(t, "units"), rapid.IntRange(0, 3).Draw(t, "scale")
		v.Set(reflect.ValueOf(wsfev1.AmountOf(units, scale)))
	}
}

// TestEveryRequestIsTheSameInEitherForm, whatever is right and wrong in it.
func TestEveryRequestIsTheSameInEitherForm(t *testing.T) {
	book := newBook(t, nil)
	for _, op := range wsfev1.Operations {
		t.Run(op.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				request := op.NewRequest()
				draw(t, op.Request, reflect.ValueOf(request).Elem())
				text, err := json.Marshal(request)
				if err != nil {
					t.Fatal(err)
				}
				message, err := soap.AppendRequest(nil, rapid.SampledFrom([]soap.Version{soap.V11, soap.V12}).Draw(t, "version"), op, request)
				if err != nil {
					t.Fatal(err)
				}
				alike(t, op, judged(t, book, op, string(text), false), judged(t, book, op, string(message), true))
			})
		})
	}
}

// spelt draws a figure of up to 13 whole digits and two decimals: plain, as both forms may write it, and as SOAP
// alone may.
func spelt(t *rapid.T) (plain, both, inSOAP string) {
	units := rapid.OneOf(rapid.Int64Range(0, 30_000), rapid.Int64Range(0, 999_999_999_999_999)).Draw(t, "units")
	plain = fmt.Sprintf("%d.%02d", units/100, units%100)
	power := rapid.SampledFrom([]string{"e-2", "E-2", "e-02"}).Draw(t, "power")
	both = rapid.SampledFrom([]string{
		plain, wsfev1.MustAmount(plain).Trim().String(), plain + "0", fmt.Sprint(units, power), plain + "e0", plain + "E+00",
		fmt.Sprintf("%d.%03de1", units/1000, units%1000),
	}).Draw(t, "both")
	inSOAP = rapid.SampledFrom([]string{
		"+" + both, "0" + both, "\n " + both + "\t", strings.TrimSuffix(plain, "00"), strings.TrimPrefix(plain, "0"), "<!-- -->" + both, "<![CDATA[" + both + "]]>",
	}).Draw(t, "SOAP")
	return plain, both, inSOAP
}

// wrong are texts that are no figure in either form.
var wrong = []string{"١٠٠", "\u00A0100", "100\u00A0", "1,00", "1.000,00", "0x64", "1_00", "NaN", "INF", "-", "1e", "e2", "1 00", "$100", "１００", "--1", "1.0.0", ".", "100.00f"}

// TestAnAmountIsTheSameHoweverItIsWritten: it is judged and sent on by its value, and a text that is no amount is refused.
func TestAnAmountIsTheSameHoweverItIsWritten(t *testing.T) {
	book := newBook(t, nil)
	invoice := func(total string) string { return strings.Replace(fixture.Invoice(1), "121.00", total, 1) }
	message := func(total string) string {
		body := new(wsfev1.FECAESolicitarRequest)
		if err := json.Unmarshal([]byte(fixture.Invoice(1)), body); err != nil {
			t.Fatal(err)
		}
		text, err := soap.AppendRequest(nil, soap.V11, issuing, body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Replace(string(text), "<ImpTotal>121.00<", "<ImpTotal>"+total+"<", 1)
	}
	rapid.Check(t, func(t *rapid.T) {
		plain, both, inSOAP := spelt(t)
		want := judged(t, book, issuing, invoice(plain), false)
		alike(t, issuing, want, judged(t, book, issuing, message(plain), true))
		for text, d := range map[string]*intake.Decision{
			"JSON " + both: judged(t, book, issuing, invoice(both), false), "SOAP " + both: judged(t, book, issuing, message(both), true),
			"SOAP " + inSOAP: judged(t, book, issuing, message(inSOAP), true),
		} {
			sent, document := d.Sent()
			if total := wsfev1.LotOf(sent.Body).Invoice(0).ImpTotal; !total.Equal(wsfev1.MustAmount(plain)) || !jsontext.Value(document).IsValid() {
				t.Fatalf("%q is %v in %s", text, total, document)
			}
			if got, want := codes(d), codes(want); !slices.Equal(got, want) {
				t.Fatalf("%q: %v, want %v", text, got, want)
			}
			if got, want := canonical.Append(nil, sent.Body), canonical.Append(nil, want.Request.Body); !bytes.Equal(got, want) {
				t.Fatalf("%q has another fingerprint: %s, not %s", text, got, want)
			}
		}
	})
	for _, text := range wrong {
		for form, d := range map[string]*intake.Decision{"JSON": judged(t, book, issuing, invoice(text), false), "SOAP": judged(t, book, issuing, message(text), true)} {
			if !d.Ends() || d.WellFormed {
				t.Errorf("%q in %s: %v", text, form, d.Findings)
			}
		}
	}
	for _, text := range []string{"+121.00", "0121.00", "121.", ".5", `"121.00"`} { // which JSON does not know
		if d := judged(t, book, issuing, invoice(text), false); !d.Ends() || d.WellFormed {
			t.Errorf("%s in JSON: %v", text, d.Findings)
		}
	}
}

// codes returns the codes of the findings of rules.
func codes(d *intake.Decision) (all []string) {
	for _, f := range d.Findings {
		if f.Severity != validate.OBS || !strings.HasPrefix(f.Code, "shape.") {
			all = append(all, f.Code+" "+f.Pointer+" "+fmt.Sprint(f.Action))
		}
	}
	return all
}

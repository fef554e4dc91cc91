package exchange_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// hostile is what a client may send anywhere: a script, marks that turn a line around, and very much.
var hostile = "<script>alert(1)</script>\u202e\x00\"'><img src=x>" + strings.Repeat("x", 100_000)

// TestHostileTextsStayTexts, and the page small.
func TestHostileTextsStayTexts(t *testing.T) {
	body := []byte(`{"` + strings.Repeat("<b>", 400) + `":1,"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"CbteDesde":5,"MonId":"\u202e<script>","Tributos":{"Tributo":[{"Desc":"` +
		strings.ReplaceAll(strings.ReplaceAll(hostile, `"`, `\"`), "\x00", `\u0000`) + `"}]}}]}}}`)
	for _, mask := range []bool{false, true} {
		d := newDesk(t, mask)
		at := d.add(about(5, 1, audit.Record{
			Kind: audit.KindExchange, ID: "<script>", Decision: audit.Decision(hostile), Outcome: "<script>", Certainty: audit.NotSent, Status: 200, Request: body,
			Answer: []byte(`{"Errors":{"Err":[{"Code":"<script>","Msg":"<script>\u202e"}]}}`),
			Detail: hostile, ClientIdentity: hostile, Resultado: "<script>",
			Client:   &audit.Leg{Form: "<script>", RequestType: "text/<script>", Request: []byte(hostile), RequestLength: 9},
			Findings: []audit.Finding{{Code: "<script>", Severity: "<script>", Action: "<script>", Pointer: "/" + hostile, Text: hostile, Expected: hostile, Got: hostile, Tolerance: "javascript:1"}},
		}))
		page := d.page(at)
		if strings.Contains(page, "<script>") || strings.Contains(page, "<img") || strings.ContainsAny(page, "\u202e\x00") {
			t.Errorf("mask %v: a text became a part of the page", mask)
		}
		if len(page) > 100_000 {
			t.Errorf("mask %v: the page has %d bytes", mask, len(page))
		}
	}
}

// TestALargeBodyIsShownInPart: in one text, in many members, in a list.
func TestALargeBodyIsShownInPart(t *testing.T) {
	const size = 1 << 20
	for name, body := range map[string][]byte{
		"text":    []byte(`{"a":"` + strings.Repeat("x", 4*size) + `"}`),
		"members": append(append([]byte(`{`), bytes.Repeat([]byte(`"m":{"DocNro":20222222223},`), size/27)...), `"z":1}`...),
		"lists":   append(append([]byte(`[`), bytes.Repeat([]byte(`[1],`), size/4)...), `1]`...),
	} {
		d := newDesk(t, true)
		at := d.add(about(5, 1, audit.Record{Kind: audit.KindExchange, ID: "a", Decision: "refuse", Outcome: "malformed", Certainty: audit.NotSent, Status: 400, Request: body}))
		if page := d.page(at); len(page) > 150_000 || quotes(page) {
			t.Errorf("%s: the page has %d bytes, and shows the document: %v", name, len(page), quotes(page))
		}
	}
}

// sealed is a store that was opened without the key of its content.
type sealed struct{ audit.Store }

func (s sealed) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	r, err := s.Store.Get(ctx, log, index)
	if err == nil {
		r.Presence, r.Request, r.Answer, r.Detail = audit.Sealed, nil, nil, ""
		r.RequestDigest, r.AnswerDigest = [32]byte{}, [32]byte{}
		for i := range r.Findings {
			f := &r.Findings[i]
			f.Text, f.Expected, f.Got = "", "", ""
		}
	}
	return r, err
}

// TestSealedContentSaysSo.
func TestSealedContentSaysSo(t *testing.T) {
	d := newDesk(t, true)
	at := d.withDocuments()
	d.site.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: sealed{d.store}, Logs: []string{log}}})
	}
	d.inOrder(d.page(at), "la consola no tiene la clave", "10015", "cifrado: no se dio la clave", "Pedido", "cifrado: no se dio la clave")
	if w := d.answered(http.MethodGet, "/consola/exchange/"+at+"/request"); w.Code != http.StatusNotFound {
		t.Errorf("the download has status %d", w.Code)
	}
}

// TestTheOtherLanguageHasAllWords: no key stands in for its words.
func TestTheOtherLanguageHasAllWords(t *testing.T) {
	d := newDesk(t, true)
	at := d.withDocuments()
	page := d.answered(http.MethodGet, "/consola/exchange/"+at, "Accept-Language", "en-GB").Body.String()
	d.inOrder(page, `<html lang="en">`, "Documents of receivers are hidden", "The gateway checked it", "Request and answer")
}

package console

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/mask/forms"
)

const maskedLog = "gateway-1"

// The documents of other people than the issuer, 20111111112, each in another place.
const (
	receiver = "20222222223"
	buyer    = "27999111"     // in Compradores
	signer   = "23456789"     // in Opcional 62
	landlord = "20333333334"  // in Opcional 1801
	pupil    = "45678912"     // in Opcional 1012
	named    = "27444444458"  // in a reference: of nobody else's
	passport = "zz-ab-778899" // in another DocNro
)

var documents = []string{receiver, buyer, signer, landlord, pupil, named, "zzab778899"}

// inAllForms are ways to write a document.
func inAllForms(document string) string {
	var entities, percent strings.Builder
	for i := range len(document) {
		fmt.Fprintf(&entities, "&#%d;", document[i])
		fmt.Fprintf(&percent, "%%%02x", document[i])
	}
	if len(document) == 11 {
		document = document[:2] + "-" + document[2:10] + "-" + document[10:] + " " + document
	}
	return document + " | " + base64.StdEncoding.EncodeToString([]byte("doc "+document)) + " | " + hex.EncodeToString([]byte(strings.Repeat("doc "+document, 2))) + " | " + percent.String() + " | " + entities.String()
}

// quoting is a text that repeats all of them.
func quoting() string {
	var all []string
	for _, document := range documents[:6] {
		all = append(all, inAllForms(document))
	}
	return strings.Join(append(all, passport), " ")
}

func maskedRequest(desc string) string {
	return `{"Auth":{"Token":"hmac-sha256:00","Sign":"hmac-sha256:00","Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[` +
		`{"Concepto":1,"DocTipo":80,"DocNro":` + receiver + `,"CbteDesde":5,"CbteHasta":5,"ImpTotal":121,"MonId":"` + receiver + `","Tributos":{"Tributo":[{"Id":99,"Desc":` + strconv.Quote(desc) + `}]},` +
		`"Compradores":{"Comprador":[{"DocTipo":96,"DocNro":` + buyer + `,"Porcentaje":50},{"DocTipo":94,"DocNro":"` + passport + `"}]},` +
		`"Opcionales":{"Opcional":[{"Id":"62","Valor":"` + signer + `"},{"Valor":"` + landlord + `","Id":"1801"},{"Id":"1012","Valor":"` + pupil + `"},{"Id":"23","Valor":"a cuenta de ` + named + `"}]},"` + receiver + `":1}]}}}`
}

func maskedAnswer() string {
	return `{"FeCabResp":{"Resultado":"A"},"FeDetResp":{"FECAEDetResponse":[{"DocTipo":80,"DocNro":` + receiver + `,"CbteDesde":5,"CbteHasta":5,"Resultado":"A","CAE":"76470000000018",` +
		`"Observaciones":{"Obs":[{"Code":10063,"Msg":` + strconv.Quote(quoting()) + `},{"Code":99999,"Msg":"el documento ` + buyer + ` no existe"},{"Code":` + buyer + `,"Msg":"x"}]}}]}}`
}

// maskedRecords are about all that a trail holds: refused, sent, settled, read, and without an answer.
func maskedRecords() []audit.Record {
	at := time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC)
	about := audit.Record{
		Time: at, Node: "node-1", ClientAddress: "192.0.2.7", ClientIdentity: "shop", Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
		Vouchers: []audit.Voucher{{CbteDesde: 5, CbteHasta: 5}}, Upstream: "service.example:443", Status: 200, RequestLength: 1, AnswerLength: 1, RequestDigest: [32]byte{1}, AnswerDigest: [32]byte{2},
	}
	message := []byte(`<?xml version="1.0"?><!-- ` + receiver + ` --><a b="` + receiver + `"><DocNro>` + receiver + `</DocNro><Comprador><DocNro>` + buyer + `</DocNro></Comprador><DocNro>` + passport + `</DocNro>` +
		`<Opcional><Id>62</Id><Valor>` + signer + `</Valor></Opcional><Opcional><Id>1801</Id><Valor>` + landlord + `</Valor></Opcional><Opcional><Id>1012</Id><Valor>` + pupil + `</Valor></Opcional>` +
		`<Msg>` + html.EscapeString(quoting()) + `</Msg></a>`)
	findings := []audit.Finding{
		{Code: "10015", Severity: "EXC", Action: "refuse", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/DocNro", Text: "DocNro " + receiver + " no vale", Got: receiver},
		{Code: "shape.unknown", Severity: "SHAPE", Action: "refuse", Pointer: "/FeCAEReq/" + receiver, Text: quoting(), Expected: buyer, Got: passport},
	}
	refused := about
	refused.Kind, refused.ID, refused.Decision, refused.Outcome, refused.Certainty = audit.KindExchange, "a", "refuse", "refused", audit.NotSent
	refused.Request, refused.Answer, refused.Findings, refused.Detail = []byte(maskedRequest(quoting())), []byte(maskedAnswer()), findings, quoting()
	refused.Client = &audit.Leg{Form: audit.FormSOAP11, RequestType: "text/xml; x=" + receiver, RequestLength: 1, AnswerLength: 1, Request: message, Answer: message}
	intent := about
	intent.Kind, intent.ID, intent.Decision, intent.Certainty, intent.Request = audit.KindIntent, "b", "forward", audit.Unknown, []byte(maskedRequest("x"))
	outcome := about
	outcome.Kind, outcome.ID, outcome.Intent, outcome.Decision, outcome.Outcome, outcome.Certainty = audit.KindOutcome, "b", 1, "forward", "approved", audit.Answered
	outcome.Answer, outcome.Detail, outcome.Vouchers = []byte(maskedAnswer()), quoting(), []audit.Voucher{{CbteDesde: 5, CbteHasta: 5, Code: "76470000000018", Expires: "20261202", Resultado: "A"}}
	settlement := outcome
	settlement.Kind, settlement.Outcome = audit.KindSettlement, "recovered"
	strange := refused // its summary has documents too
	strange.ID, strange.ClientIdentity, strange.Vouchers = "c", "cliente "+receiver, []audit.Voucher{{CbteDesde: 5, CbteHasta: 5, Code: receiver, Resultado: buyer}}
	strange.Operation = receiver
	read := audit.Record{Kind: audit.KindAccess, ID: "d", Time: at, Node: "node-1", ClientIdentity: "ana (console)", Detail: `console search "` + receiver + ` ` + buyer + `"`}
	outage := audit.Record{Kind: audit.KindOutage, ID: "e", Time: at, Outcome: "began", Upstream: "service.example:443", Detail: `{"Service":"service.example:443"}`}
	all := []audit.Record{refused, intent, outcome, settlement, strange, read, outage}
	for i := range 4 { // what repeats stands on the page of the day
		again := refused
		again.ID, again.Vouchers, again.Findings = fmt.Sprint("f", i), []audit.Voucher{{CbteDesde: int64(100 + i), CbteHasta: int64(100 + i)}}, findings[1:]
		again.Request = []byte(misplaced[i])
		all = append(all, again)
	}
	return all
}

// misplaced are malformed requests, with documents where none belongs.
var misplaced = []string{
	`{"DocNro":{"v":{"w":` + receiver + `}},"NroDoc":` + buyer + `}`, `{"Opcional":[{"Id":"62","Id":"62","Valor":{"v":"` + signer + `"}},{"Id":1801.0,"Valor":` + landlord + `}]}`,
	`{"ImpTotal":` + pupil + `,"` + named + `":1}`, `{"DocNro":["` + passport + `"],"x":"` + base64.StdEncoding.EncodeToString([]byte("el "+buyer+" "+buyer)) + `"}`,
}

// maskedSite serves a trail with these records.
func maskedSite(t *testing.T) *site.Site {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	signer := audittest.Key(t, maskedLog)
	w, err := audit.Open(t.Context(), store, maskedLog, signer, audit.Options{First: true, Random: rand.NewChaCha8([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range maskedRecords() {
		if _, err := w.Append(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Secret(t.Context(), signingkey.VerifierKeyOf(maskedLog), func() ([]byte, error) { return []byte(signer.Verifier()), nil }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, err := range []error{w.Close(), store.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	s := &site.Site{Base: "/consola", MaskAll: true, Logger: zap.NewNop(), Now: func() time.Time { return time.Date(2026, 11, 23, 15, 0, 0, 0, time.UTC) }}
	s.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{maskedLog}}})
	}
	s.Prepare()
	for _, add := range pages {
		add(s)
	}
	return s
}

// wildcards are the values of what patterns of routes leave open. A new one must be given here.
var wildcards = map[string][]string{
	"{log}": {maskedLog}, "{index}": {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "99"},
	"{part}": {"request", "answer", "client-request", "client-answer", "service-request", "service-answer", "reveal"}, "{file}": {"proof", "evidence"},
	"{code}": {"10015", "10063", "99999", buyer}, "{name}": {"none.js"}, "{$}": {""},
	"{cuit}": {"20111111112", "27000000006", "30500010912"}, "{tipo}": {"6"}, "{ptovta}": {"1"}, "{nro}": {"1", "5", "6", "9", "12", "100"},
}

// questions are what may stand behind an address.
var questions = []string{
	"", "?reveal", "?nro=5", "?from=0", "?all=1", "?kind=access", "?kind=outage", "?kind=intent", "?outcome=refused", "?q=2026-11-23", "?day=2026-11-23", "?month=2026-11", "?month=2026-11&by=authorised", "?q=10015&lang=en", "?example=FECAESolicitar",
	"?reveal=1&nro=5&mask=off",
}

// addressesOf returns the addresses of a route.
func addressesOf(t *testing.T, pattern string) []string {
	t.Helper()
	return addressesWith(t, pattern, wildcards)
}

func addressesWith(t *testing.T, pattern string, wildcards map[string][]string) []string {
	t.Helper()
	paths := []string{pattern}
	for strings.Contains(paths[0], "{") {
		from := strings.IndexByte(paths[0], '{')
		name := paths[0][from : from+strings.IndexByte(paths[0][from:], '}')+1]
		values, ok := wildcards[name]
		if !ok {
			t.Fatalf("%s: give values of %s", pattern, name)
		}
		var next []string
		for _, path := range paths {
			for _, value := range values {
				next = append(next, strings.Replace(path, name, value, 1))
			}
		}
		paths = next
	}
	return paths
}

// once is a reader that leaves when it has got something of an answer that goes on.
type once struct {
	*httptest.ResponseRecorder
	leave context.CancelFunc
}

func (o *once) Write(part []byte) (int, error) {
	if strings.Contains(string(part), "data: {") {
		o.leave()
	}
	return o.ResponseRecorder.Write(part)
}

func (o *once) Flush() {}

// repeated returns the documents that a text repeats, in any form.
func repeated(text string) (all []string) {
	if forms.In([]byte(text), func(form []byte) bool { // one search of a text for all of them
		squeezed := between.Replace(strings.ToLower(string(form)))
		for _, document := range documents {
			if strings.Contains(squeezed, document) && !slices.Contains(all, document) {
				all = append(all, document)
			}
		}
		return false
	}) {
		all = append(all, "more than is searched")
	}
	return all
}

// between may stand between the digits of a document.
var between = strings.NewReplacer("-", "", ".", "", " ", "")

// TestNoRouteShowsADocumentWithMask: the pages and files of all routes that there are, with whatever stands
// behind their addresses. What reveals them is a form.
func TestNoRouteShowsADocumentWithMask(t *testing.T) {
	s := maskedSite(t)
	seen, searched := map[int]int{}, map[string]bool{}
	for _, route := range s.Routes() {
		method, pattern, _ := strings.Cut(route, " ")
		if method != http.MethodGet {
			continue
		}
		asked := questions
		if strings.Contains(pattern, "{part}") || strings.Contains(pattern, "{file}") {
			asked = questions[:3]
		}
		for _, path := range addressesOf(t, pattern) {
			for _, question := range asked {
				ctx, leave := context.WithTimeout(t.Context(), 20*time.Second)
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, path+question, nil)
				r.Header.Set("Last-Event-ID", maskedLog+"/0")
				answer := httptest.NewRecorder()
				s.ServeHTTP(&once{answer, leave}, r)
				leave()
				var header strings.Builder
				_ = answer.Header().Write(&header)
				text := header.String() + "\n" + answer.Body.String()
				if searched[text] {
					seen[answer.Code]++
					continue // many addresses have the same answer
				}
				searched[text] = true
				if found := repeated(text); len(found) > 0 {
					t.Errorf("%s%s: %d with %v%s", path, question, answer.Code, found, around(text, found[0]))
				}
				if answer.Code >= http.StatusInternalServerError {
					t.Errorf("%s%s: %d", path, question, answer.Code)
				}
				seen[answer.Code]++
			}
		}
	}
	t.Logf("answers by status: %v", seen)
	if seen[http.StatusOK] < 200 {
		t.Errorf("only %v", seen)
	}
}

// around returns the place of a document in a text.
func around(text, document string) string {
	if at := strings.Index(text, document); at >= 0 {
		return ": …" + text[max(0, at-100):min(len(text), at+100)] + "…"
	}
	return ""
}

// TestOnlyFormsOfTheConsolesOwnPagesReveal: each route that gives documents is a form, and takes it from no
// other site.
func TestOnlyFormsOfTheConsolesOwnPagesReveal(t *testing.T) {
	s := maskedSite(t)
	revealing := map[string]bool{}
	for _, route := range s.Routes() {
		method, pattern, _ := strings.Cut(route, " ")
		if method != http.MethodPost {
			continue
		}
		for _, path := range addressesOf(t, pattern) {
			for _, from := range []string{"same-origin", "cross-site", "same-site", "none", ""} {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(url.Values{"nro": {"5"}}.Encode()))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				if from != "" {
					r.Header.Set("Sec-Fetch-Site", from)
				}
				answer := httptest.NewRecorder()
				s.ServeHTTP(answer, r)
				if shown := len(repeated(answer.Body.String())) > 0 || strings.HasPrefix(answer.Body.String(), "PK"); shown && from != "same-origin" {
					t.Errorf("%s from %s: %d with documents", path, from, answer.Code)
				} else if shown {
					revealing[pattern] = true
				}
			}
		}
	}
	want := []string{
		"/consola/exchange/{log}/{index}/reveal", "/consola/exchange/{log}/{index}/reveal/{part}",
		"/consola/proof/{log}/{index}/reveal", "/consola/proof/{log}/{index}/reveal/evidence", "/consola/proof/{log}/{index}/reveal/proof",
		"/consola/try/{log}/{index}/reveal",
	}
	if got := slices.Sorted(maps.Keys(revealing)); !slices.Equal(got, want) {
		t.Errorf("documents are revealed by %q, want %q", got, want)
	}
}

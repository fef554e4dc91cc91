package invoice_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// TestAnInvoiceIsToldOnce: its state, figures and environment, with the repeats counted and each attempt linked.
func TestAnInvoiceIsToldOnce(t *testing.T) {
	d := newDesk(t)
	d.add(log, record(audit.KindExchange, audit.OutcomeRefused, 5, 1, audit.Voucher{}))
	d.add(log, record(audit.KindExchange, audit.OutcomeRefused, 5, 1, audit.Voucher{}))
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	for range 24 {
		d.add(log, record(audit.KindExchange, audit.OutcomeReplayed, 5, 1, granted))
	}
	page := d.page("es")
	d.inOrder(page, "Factura B 0001-00000005", "20-11111111-2", "Aprobado", "CAE <bdi>"+cae, "vence el 02/12/2026", "El servicio aprobó el comprobante", "Ver el intercambio", "producción",
		at+"/constancia.html", "/consola/proof/gateway-1/3/evidence?nro=5", "21/11/2026", "CUIT 20-22222222-3", "521,00", "https://www.", "Qué pasó",
		"rechazó el pedido según una regla", "2 veces, la última el 22/11/2026 12:00:02", "/consola/exchange/gateway-1/0", "/consola/exchange/gateway-1/1",
		"El servicio aprobó", "/consola/exchange/gateway-1/3", "24 repeticiones, la última el 22/11/2026 12:00:27", "/consola/exchange/gateway-1/27")
	d.hasNone(page, "lote", "Sin validez fiscal")
	d.inOrder(d.page("en"), `lang="en"`, "Approved", cae, "The service authorised the invoice", "production", "521.00", "2 times, the last on", "24 repeats, the last on 2026-11-22 12:00:27")
}

// TestAnUnknownInvoiceSaysSinceWhen, and what a settlement in another gateway's log says is its state.
func TestAnUnknownInvoiceSaysSinceWhen(t *testing.T) {
	d := newDesk(t)
	intent := d.issue(log, audit.OutcomeUnknown, 5, 1, audit.Voucher{})
	page := d.page("es")
	d.inOrder(page, `class="outcome open"`, "No se sabe si fue emitido", "Antes de enviarlo otra vez", "El pedido es del 22/11/2026 12:00:01")
	d.hasNone(page, "constancia.html")
	d.inOrder(d.page("en"), "Not known whether it was issued", "Requested on 2026-11-22 12:00:01")
	if w := d.get(at+"/constancia.html", "es"); w.Code != http.StatusNotFound {
		t.Errorf("a sheet about an invoice of which nothing is known: %d", w.Code)
	}
	settled := record(audit.KindSettlement, audit.OutcomeRecovered, 5, 1, granted)
	settled.IntentLog, settled.Intent = log, intent
	settled.ID = d.idOf(log, intent)
	d.add(beside, settled)
	d.inOrder(d.page("es"), `class="outcome good"`, "Aprobado", cae, "/consola/exchange/gateway-1/1", "más tarde la pasarela consultó", "/consola/exchange/gateway-2/0")
}

func (d *desk) idOf(name string, index uint64) string {
	d.t.Helper()
	r, err := d.store.Get(d.t.Context(), name, index)
	if err != nil {
		d.t.Fatal(err)
	}
	return r.ID
}

// TestEachInvoiceOfALotHasItsPage, with its own figures, and it leads back to its row in the lot.
func TestEachInvoiceOfALotHasItsPage(t *testing.T) {
	d := newDesk(t)
	d.issue(log, audit.OutcomeApproved, 1, 250, granted)
	for number, want := range map[string][]string{
		"1":   {"121,00", "/consola/exchange/gateway-1/1#comprobante-1"},
		"137": {"13721,00", "/consola/exchange/gateway-1/1?from=130#comprobante-137"},
		"250": {"25021,00", "/consola/exchange/gateway-1/1?from=240#comprobante-250"},
	} {
		w := d.get("/comprobante/20111111112/6/1/"+number, "es")
		page := strings.ReplaceAll(w.Body.String(), ".", "")
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s: no %q\n%s", number, text, w.Body)
			}
		}
		if !strings.Contains(page, "en un lote de 250 comprobantes") {
			t.Errorf("%s: no lot", number)
		}
	}
}

// TestNotesAndTheirInvoice lead to each other. A note of another class or one that was rejected is none.
func TestNotesAndTheirInvoice(t *testing.T) {
	d := newDesk(t)
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	note := func(number int, kind int32, word audit.Outcome, as audit.Voucher, about string) {
		r := record(audit.KindExchange, word, number, 1, as)
		r.CbteTipo, r.Request = kind, request(number, 1, `,"CbtesAsoc":`+about)
		d.add(log, r)
	}
	const five = `{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":5,"Cuit":"20111111112"}]}`
	note(70, 8, audit.OutcomeApproved, granted, five)
	note(71, 8, audit.OutcomeRejected, denied, five)
	note(72, 8, audit.OutcomeApproved, granted, `{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":6}]}`)
	note(73, 7, audit.OutcomeApproved, granted, `{"CbteAsoc":[{"Tipo":"6","PtoVta":"1","Nro":"5"}]}`)
	note(74, 8, audit.OutcomeApproved, granted, `[7,{"CbteAsoc":null}]`)
	page := d.page("es")
	d.inOrder(page, "Notas que lo nombran", "/consola/comprobante/20111111112/7/1/73", "/consola/comprobante/20111111112/8/1/70")
	d.hasNone(page, "/8/1/71", "/8/1/72", "/8/1/74", "más recientes; puede")
	d.inOrder(d.get("/comprobante/20111111112/8/1/70", "es").Body.String(), "Comprobantes asociados", "/consola"+at, "Factura B 0001-00000005")
}

// TestEnvironmentsStandOnPageAndSheet.
func TestEnvironmentsStandOnPageAndSheet(t *testing.T) {
	for upstream, want := range map[string]struct{ page, sheet string }{
		production:              {"producción", "producción"},
		"wswhomo.afip.gov.ar":   {"homologación: el servicio de pruebas de ARCA, sin validez fiscal", `class="invalid">homologación`},
		audit.BuiltInUpstream:   {"servicio incorporado, sin validez fiscal", `class="invalid">Sin validez fiscal`},
		"proxy.example.com:443": {"otro servicio", `class="invalid">otro servicio`},
	} {
		d := newDesk(t)
		r := record(audit.KindExchange, audit.OutcomeApproved, 5, 1, granted)
		r.Upstream = upstream
		d.add(log, r)
		d.inOrder(d.page("es"), "Entorno", want.page)
		sheet := d.get(at+"/constancia.html", "es").Body.String()
		d.inOrder(sheet, want.sheet)
		if invalid := strings.Contains(sheet, `class="invalid"`); invalid == (upstream == production) {
			t.Errorf("%s: %v", upstream, invalid)
		}
	}
}

// TestAddressesThatNameNoInvoice are not found, and an invoice that the trail does not have is told so.
func TestAddressesThatNameNoInvoice(t *testing.T) {
	d := newDesk(t)
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	for _, bad := range []string{"x/6/1/5", "20111111112/0/1/5", "20111111112/6/-1/5", "20111111112/6/1/0", "20111111112/6/100000/5", "20111111112/6/1/5000000000", "20111111112/6/1/5e0", "201111111120/6/1/5"} {
		if w := d.get("/comprobante/"+bad, "es"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "No hay ninguna página") {
			t.Errorf("%s: %d", bad, w.Code)
		}
	}
	w := d.get("/comprobante/20111111112/6/1/6", "es")
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "No consta ningún pedido ni consulta de este comprobante") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := d.get("/comprobante/20-11111111-2/006/0001/00000005", "es"); w.Code != http.StatusOK {
		t.Errorf("as on paper: %d", w.Code)
	}
}

// TestTheReceiverIsHiddenWithMask on the page and on the sheet, which then has no QR code.
func TestTheReceiverIsHiddenWithMask(t *testing.T) {
	d := newDesk(t)
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	for _, path := range []string{at, at + "/constancia.html"} {
		d.site.MaskAll = false
		d.inOrder(d.get(path, "es").Body.String(), "20-22222222-3")
		d.site.MaskAll = true
		w := d.get(path, "es")
		d.inOrder(w.Body.String(), "521,00")
		d.inOrder(w.Body.String(), cae)
		d.hasNone(w.Body.String(), receiver, "20-22222222-3", "<svg")
	}
}

// TestTheSheetIsAFileToKeep: no browser takes it for a page of the console, and in the file its own script alone runs.
func TestTheSheetIsAFileToKeep(t *testing.T) {
	d := newDesk(t)
	d.issue(log, audit.OutcomeApproved, 4, 3, granted)
	w := d.get(at+"/constancia.html", "en")
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Disposition": "attachment; filename=constancia-20111111112-6-1-5.html",
		"Content-Security-Policy": "sandbox; default-src 'none'",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	text := w.Body.String()
	_, script, _ := strings.Cut(text, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	if !strings.Contains(html.UnescapeString(text), "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Error("the policy does not let the script run")
	}
	d.inOrder(text, `lang="es"`, "0001-00000005", "20-22222222-3", "521,00", cae, "Qué está probado", "El servicio aprobó el comprobante", "registro gateway-1/1", "<svg", audittest.Key(t, log).Verifier()[:20])
	d.hasNone(text, "421,00", "src=", "DocNro") // nothing of the other receivers in the lot
}

// TestTheSheetHasTheLinesOfWitnesses, and the script that verifies them.
func TestTheSheetHasTheLinesOfWitnesses(t *testing.T) {
	d := newDesk(t)
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	signed := string(audittest.CosignNewest(t, d.store, log, noon, audittest.Witness(t, "testigo.example")))
	_, line, _ := strings.Cut(signed, "\u2014 testigo.example ")
	text := d.get(at+"/constancia.html", "es").Body.String()
	_, data, _ := strings.Cut(text, `id="proof">`)
	data, _, _ = strings.Cut(data, "</script>")
	var embedded struct{ Text string }
	if err := json.Unmarshal([]byte(data), &embedded); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(embedded.Text, signed) || line == "" {
		t.Errorf("the proof does not end with the cosigned checkpoint:\n%s\n%s", embedded.Text, signed)
	}
	d.inOrder(text, "<details><summary>Testigos que firmaron", "cosignature/v1")
}

// TestPurgedContentIsSaid, and the state stays.
func TestPurgedContentIsSaid(t *testing.T) {
	d := newDesk(t)
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	d.purge(log, 0, 2)
	page := d.page("es")
	d.inOrder(page, "Aprobado", cae, "ya no se conserva")
	d.hasNone(page, "521,00")
	if w := d.get(at+"/constancia.html", "es"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), cae) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// purge takes the content of the records of a log from first on, before next.
func (d *desk) purge(name string, first, next uint64) {
	d.t.Helper()
	_, err := d.store.Purger().Purge(d.t.Context(), audit.PurgeRequest{
		Log: name, Before: audit.PeriodOf(noon.AddDate(0, 2, 0)), Records: &audit.IndexRange{First: first, Next: next}, Override: "a test",
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// random adds a random exchange about number 5, alone or in a lot, and perhaps its settlement.
func (d *desk) random(rnd *rand.Rand) {
	name := []string{log, beside}[rnd.IntN(2)]
	first, n := 5, 1
	if rnd.IntN(3) == 0 {
		n = 2 + rnd.IntN(12)
		first = 5 - rnd.IntN(min(n, 5))
	}
	kind, empty := audit.KindExchange, audit.Voucher{}
	switch rnd.IntN(9) {
	case 0:
		d.add(name, record(kind, audit.OutcomeRefused, first, n, empty))
	case 1:
		d.issue(name, audit.OutcomeApproved, first, n, granted)
	case 2:
		d.issue(name, audit.OutcomeRejected, first, n, denied)
	case 3:
		d.issue(name, audit.OutcomeNotIssued, first, n, empty)
	case 4:
		d.issue(name, audit.OutcomeRecovered, first, n, granted)
	case 5:
		d.add(name, record(kind, audit.OutcomeReplayed, first, n, granted))
	case 6:
		query := record(kind, audit.OutcomeAnswered, 5, 1, []audit.Voucher{empty, granted}[rnd.IntN(2)])
		query.Operation, query.Request, query.Decision = "FECompConsultar", nil, []audit.Decision{audit.DecisionAsk, audit.DecisionForward}[rnd.IntN(2)]
		d.add(name, query)
	case 7:
		d.add(name, record(audit.KindIntent, "", first, n, empty)) // it stays open
	default:
		intent := d.issue(name, audit.OutcomeUnknown, first, n, empty)
		if rnd.IntN(3) > 0 {
			word := []audit.Outcome{audit.OutcomeRecovered, audit.OutcomeNotIssued}[rnd.IntN(2)]
			settled := record(audit.KindSettlement, word, first, n, map[audit.Outcome]audit.Voucher{audit.OutcomeRecovered: granted}[word])
			settled.ID, settled.Intent, settled.Upstream = d.idOf(name, intent), intent, ""
			by := []string{log, beside}[rnd.IntN(2)]
			if by != name {
				settled.IntentLog = name
			}
			d.add(by, settled)
		}
	}
}

var (
	stateOnPage = regexp.MustCompile(`<h2 id="state"><span class="outcome [a-z]*">(.*?)</span>`)
	stateInFile = regexp.MustCompile(`(?s)<div class="verdict [a-z]*">\s*<strong>(.*?)</strong>`)
	codeOnPage  = regexp.MustCompile(`<strong class="number">(CAEA? )<bdi>(\d+)`)
)

func firstOf(re *regexp.Regexp, text string) string {
	if found := re.FindStringSubmatch(text); found != nil {
		return html.UnescapeString(strings.Join(found[1:], ""))
	}
	return ""
}

// TestThePageAgreesWithTheEvidence: for any trail the state, the code and the figures agree with `audit
// evidence`, whichever logs are read and whatever was purged.
func TestThePageAgreesWithTheEvidence(t *testing.T) {
	states := map[string]int{}
	for seed := range testrun.Size(t, 120, 1000) {
		rnd := rand.New(rand.NewPCG(uint64(seed), 7))
		d := newDesk(t)
		for range 1 + rnd.IntN(6) {
			d.random(rnd)
		}
		for _, name := range []string{log, beside} {
			head, err := d.store.Head(t.Context(), name)
			if err == nil && head.Size > 0 && rnd.IntN(4) == 0 {
				d.purge(name, rnd.Uint64N(head.Size), head.Size)
			}
		}
		d.logs = slices.DeleteFunc([]string{log, beside}, func(name string) bool {
			head, err := d.store.Head(t.Context(), name)
			return err != nil || head.Size == 0
		})
		if len(d.logs) == 2 && rnd.IntN(3) == 0 {
			d.logs = d.logs[:1]
		}
		folder := filepath.Join(t.TempDir(), "evidence")
		if _, err := evidence.Write(t.Context(), d.store, d.logs, audit.Query{Cuit: issuer, PtoVta: 1, CbteTipo: 6, Number: 5}, folder); err != nil {
			if w := d.get(at, "es"); w.Code != http.StatusNotFound {
				t.Errorf("seed %d: %v, but the page has %d", seed, err, w.Code)
			}
			continue
		}
		file, err := os.ReadFile(filepath.Join(folder, "index.html"))
		if err != nil {
			t.Fatal(err)
		}
		w := d.get(at, "es")
		page, state := w.Body.String(), firstOf(stateInFile, string(file))
		states[state]++
		if got := firstOf(stateOnPage, page); got != state || state == "" {
			t.Errorf("seed %d: the page says %q, the evidence %q (%d)", seed, got, state, w.Code)
		}
		code := firstOf(codeOnPage, page)
		if authorised := state == "Aprobado" || strings.HasPrefix(state, "Autorizado"); authorised != (code == "CAE "+cae) || code != "" && !authorised {
			t.Errorf("seed %d: %s with %q", seed, state, code)
		}
		if kept := strings.Contains(string(file), "Receptor</th>"); kept != strings.Contains(page, "<dt>Receptor</dt>") {
			t.Errorf("seed %d: the evidence has the receiver: %v", seed, kept)
		}
	}
	if len(states) < 5 {
		t.Errorf("only %v", states)
	}
	t.Log(states)
}

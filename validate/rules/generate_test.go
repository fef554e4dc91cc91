package rules_test

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// issuing is a valid issuing request, made from docs/sources.md and not from the rules. A finding
// in it is an error in the rules or in the generator.
type issuing struct {
	// now is when it is processed.
	now    time.Time
	caea   bool
	issuer wsfev1.CUIT
	header wsfev1.FeCabReq
	// invoices are the invoices of either operation; a FECAESolicitar has the inner part.
	invoices []wsfev1.FECAEADetRequest
}

func (r *issuing) operation() string {
	if r.caea {
		return "FECAEARegInformativo"
	}
	return "FECAESolicitar"
}

// body writes the request as a client would.
func (r *issuing) body(t rapid.TB) []byte {
	t.Helper()
	auth := wsfev1.Auth{Token: "dG9rZW4=", Sign: "c2lnbg==", Cuit: r.issuer}
	var request any
	if r.caea {
		request = wsfev1.FECAEARegInformativoRequest{Auth: auth, FeCAEARegInfReq: wsfev1.FeCAEARegInfReq{
			FeCabReq: r.header, FeDetReq: wsfev1.FeCAEADetReq{FECAEADetRequest: r.invoices},
		}}
	} else {
		details := make([]wsfev1.FECAEDetRequest, len(r.invoices))
		for i := range r.invoices {
			details[i] = r.invoices[i].FECAEDetRequest
		}
		request = wsfev1.FECAESolicitarRequest{Auth: auth, FeCAEReq: wsfev1.FeCAEReq{
			FeCabReq: r.header, FeDetReq: wsfev1.FeCAEDetReq{FECAEDetRequest: details},
		}}
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// judged reads and judges the request; it must be of right shape.
func (r *issuing) judged(t rapid.TB, rules *rules.Rules) []validate.Finding {
	t.Helper()
	body := r.body(t)
	req, shape := validate.Decode(wsfev1.OperationByName(r.operation()), body, validate.ARCA)
	if len(shape) > 0 {
		t.Fatalf("%v in %s", validatetest.Brief(shape), body)
	}
	return rules.Judge(req, r.now)
}

// feature is something that a valid request may have or not.
type feature uint32

const (
	several       feature = 1 << iota // invoices in the lot
	dated                             // CbteFch is sent
	ranged                            // CbteHasta > CbteDesde
	anonymous                         // DocTipo 99
	uncategorised                     // DocTipo 80 and 23000000000
	foreign                           // MonId other than PES
	servicePeriod                     // the three service dates with Concepto 1
	ivaDetail                         // Iva with at least one AlicIva
	ivaDue                            // and ImpIVA > 0
	tributes
	associated  // CbtesAsoc
	period      // PeriodoAsoc
	annulment   // opcional 22 is S, in the notes of FCE
	optional    // Opcionales, where they may be left out
	buyers      // Compradores
	activities  // Actividades
	usedByMono  // type 49 of a monotributista: all in ImpTotConc
	conditioned // CondicionIVAReceptorId is sent
)

// wish narrows the requests to draw. The zero wish is any valid request.
type wish struct {
	operation   string
	types       func(cbteTipo int32) bool
	concepto    int32
	docTipo     int32
	at          time.Time
	must, never feature
	// quiet asks for a request in which there is nothing to remark either, and
	// whose sums hold to the cent.
	quiet bool
}

// generator draws one request.
type generator struct {
	*rapid.T
	wish
	request  *issuing
	today    wsfev1.Date
	cbteTipo int32
	class    wsfev1.Class
	// last is the date of the invoice before, as the service takes it.
	last wsfev1.Date
	// validFrom and validTo are the days of the CAEA.
	validFrom, validTo wsfev1.Date
}

func pick[E any](g *generator, label string, of ...E) E {
	return rapid.SampledFrom(of).Draw(g.T, label)
}

func (g *generator) between(label string, least, most int64) int64 {
	return rapid.Int64Range(least, most).Draw(g.T, label)
}

func (g *generator) text(label, expression string) string {
	return rapid.StringMatching(expression).Draw(g.T, label)
}

// has decides about a feature: once in so many times where the wish leaves it open.
func (g *generator) has(f feature, label string, once int64) bool {
	if (g.must|g.never)&f != 0 {
		return g.must&f != 0
	}
	return g.between(label, 1, once) == once
}

// since reports whether a rule that the service has from a day on is in force.
func (g *generator) since(day wsfev1.Date) bool { return g.today >= day }

// drawRequest draws a request that the service accepts.
func drawRequest(t *rapid.T, w wish) *issuing {
	g := &generator{T: t, wish: w, request: &issuing{now: w.at}}
	r := g.request
	if r.now.IsZero() {
		second := g.between("now", time.Date(2025, 6, 1, 3, 0, 0, 0, time.UTC).Unix(), time.Date(2027, 12, 31, 3, 0, 0, 0, time.UTC).Unix())
		r.now = time.Unix(second, 0).UTC()
	}
	g.today = wsfev1.Date(r.now.In(validatetest.Noon.Location()).Format("20060102"))
	operation := w.operation
	if operation == "" {
		operation = pick(g, "operation", "FECAESolicitar", "FECAEARegInformativo")
	}
	r.caea = operation == "FECAEARegInformativo"
	g.cbteTipo = pick(g, "CbteTipo", g.possibleTypes()...)
	g.class = wsfev1.ClassOf(g.cbteTipo)
	r.issuer = g.cuit("issuer", 20, 23, 27, 30, 33)
	if r.caea {
		g.drawValidity()
	}
	n := int64(1)
	if !wsfev1.IsFCE(g.cbteTipo) && g.has(several, "several", 2) {
		n = g.between("invoices", 2, 4)
	}
	r.header = wsfev1.FeCabReq{CantReg: int32(n), PtoVta: int32(g.between("PtoVta", 1, 99998)), CbteTipo: g.cbteTipo}
	next := g.between("CbteDesde", 1, 99_000_000)
	for range n {
		invoice := g.drawInvoice(next)
		next = invoice.CbteHasta + 1
		r.invoices = append(r.invoices, *invoice)
	}
	return r
}

// possibleTypes are those that the operation has on the day and the wish admits.
func (g *generator) possibleTypes() []int32 {
	return slices.DeleteFunc(wsfev1.VoucherTypes(), func(t int32) bool {
		if g.request.caea && (!wsfev1.IsInformable(t) || (t == 63 || t == 64) && !g.since("20260601")) {
			return true
		}
		return g.types != nil && !g.types(t)
	})
}

func (g *generator) drawInvoice(number int64) *wsfev1.FECAEADetRequest {
	d := &wsfev1.FECAEADetRequest{}
	d.CbteDesde, d.CbteHasta = number, number
	g.drawConcepto(d)
	g.drawCbteFch(d)
	g.drawCurrency(d)
	g.drawInvoiceAmounts(d)
	g.drawReceiver(d)
	g.drawCondition(d)
	g.drawReferences(d)
	g.drawActivities(d)
	g.drawOptionalData(d)
	g.drawServiceDates(d)
	g.drawBuyers(d)
	if g.request.caea {
		g.drawAdvance(d)
	}
	return d
}

package fill

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The codes of findings about what was filled in, and about what was not as its condition does not fit
// the class.
const (
	CodeFilled = "fill." + Member
	CodeUnfit  = "fill.unfit"
)

// IsCode reports whether a code is one of these.
func IsCode(code string) bool { return code == CodeFilled || code == CodeUnfit }

// Completed is a request with what was filled in.
type Completed struct {
	// Request is the completed request, nil if nothing was filled in. It shares with the one that
	// came what it does not change.
	Request *validate.Request
	// Findings name each invoice that was completed, and those that could not be.
	Findings []validate.Finding
	// FromTable and FromDefault count the completed invoices.
	FromTable, FromDefault int

	// ids are the conditions that were filled in, 0 for an invoice that was not completed.
	ids   []int32
	steps []string // to the list of invoices in the document
}

// Fill completes a request that was read. A request that needs nothing costs nothing.
func (s *Source) Fill(request *validate.Request) *Completed {
	if s == nil {
		return nil
	}
	lot := wsfev1.LotOf(request.Body)
	class := wsfev1.Class("")
	if lot != nil {
		class = wsfev1.ClassOf(lot.Header.CbteTipo)
	}
	if class == "" {
		return nil
	}
	var c *Completed
	for i := range lot.Len() {
		invoice := lot.Invoice(i)
		if invoice.CondicionIVAReceptorId != nil {
			continue
		}
		id, from := s.of(class, invoice)
		if from == fromNothing {
			continue
		}
		if c == nil {
			c = &Completed{ids: make([]int32, lot.Len()), steps: strings.Split(lot.DetailPointer, "/")[1:]}
		}
		c.add(i, id, from)
		c.find(finding(lot, i, class, id, from))
	}
	if c != nil && c.FromTable+c.FromDefault > 0 {
		c.complete(request)
	}
	return c
}

func (c *Completed) add(i int, id int32, from origin) {
	switch from {
	case fromTable:
		c.FromTable++
	case fromDefault:
		c.FromDefault++
	default:
		return
	}
	c.ids[i] = id
}

// find keeps a finding. A lot can have more invoices than findings are kept of a request.
func (c *Completed) find(f validate.Finding) {
	switch n := len(c.Findings); {
	case n < validate.MaxFindings:
		c.Findings = append(c.Findings, f)
	case !strings.HasSuffix(c.Findings[n-1].Text, validate.TextOfMore):
		c.Findings[n-1].Text += ". " + validate.TextOfMore
	}
}

// complete makes the completed request. The invoices are copied: others may read those that came.
func (c *Completed) complete(request *validate.Request) {
	completed := *request
	switch r := request.Body.(type) {
	case *wsfev1.FECAESolicitarRequest:
		body := *r
		details := &body.FeCAEReq.FeDetReq.FECAEDetRequest
		*details = slices.Clone(*details)
		completed.Body = &body
	case *wsfev1.FECAEARegInformativoRequest:
		body := *r
		details := &body.FeCAEARegInfReq.FeDetReq.FECAEADetRequest
		*details = slices.Clone(*details)
		completed.Body = &body
	}
	lot := wsfev1.LotOf(completed.Body)
	for i, id := range c.ids {
		if id != 0 {
			lot.Invoice(i).CondicionIVAReceptorId = &c.ids[i]
		}
	}
	c.Request = &completed
}

// finding describes what was filled in, or why nothing was.
func finding(lot *wsfev1.Lot, i int, class wsfev1.Class, id int32, from origin) validate.Finding {
	f := validate.Finding{
		Code: CodeFilled, Severity: validate.OBS, Pointer: lot.InvoicePointer(i) + "/" + Member, Invoice: i,
		Source: "docs/validation.md#fill-in-condicionivareceptorid",
	}
	switch from {
	case fromTable:
		f.Expected = strconv.Itoa(int(id))
		f.Text = "Falta " + Member + ": se completó con " + nameOf(id) + ", que la tabla del operador da para el receptor"
	case fromDefault:
		f.Expected = strconv.Itoa(int(id))
		f.Text = "Falta " + Member + ": se completó con " + nameOf(id) + ", el valor por defecto del operador"
	default:
		invoice := lot.Invoice(i)
		f.Code, f.Expected, f.Got = CodeUnfit, conditionsOf(class), strconv.Itoa(int(id))
		f.Text = fmt.Sprintf("Falta %s y no se completó: la tabla del operador da %s para el receptor con DocTipo %d y DocNro %d, y no va en clase %s",
			Member, nameOf(id), invoice.DocTipo, invoice.DocNro, strings.Replace(string(class), "ALEY", "A con leyenda", 1))
	}
	return f
}

// nameOf names a condition: 5 (Consumidor Final).
func nameOf(id int32) string {
	for _, row := range wsfev1.Tables().CondicionIvaReceptor {
		if row.Id == id {
			return strconv.Itoa(int(id)) + " (" + row.Desc + ")"
		}
	}
	return strconv.Itoa(int(id))
}

// String describes what was filled in as the header of the answer has it.
func (c *Completed) String() string {
	parts := []string{Member}
	for _, part := range []struct {
		name  string
		count int
	}{{"table", c.FromTable}, {"default", c.FromDefault}} {
		if part.count > 0 {
			parts = append(parts, part.name+"="+strconv.Itoa(part.count))
		}
	}
	return strings.Join(parts, "; ")
}

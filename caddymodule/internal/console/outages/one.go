package outages

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/outage/history"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

var onePage = site.NewPage(files, "templates/outage.html", words)

// outagePage is an outage with the invoices that were asked for in it.
type outagePage struct {
	site.Frame
	incident
	// Sum tells in a sentence what became of the invoices.
	Sum      string
	Invoices []invoice
	More     bool
	// Facts are the points that the rules ask about, with their records. Month is the address of the list.
	Facts []proven
	Month string
}

// invoice is an invoice that was asked for.
type invoice struct{ Issuer, Name, Attempts, Fate, Class, Address, Record string }

// proven is a fact with the record that shows it, which may be missing.
type proven struct{ Name, Value, Address, Record string }

func showOne(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	p := &outagePage{Frame: s.Frame(r, onePage, "outages", "outage")}
	if p.IsBound() {
		return site.ErrNotFound // an outage is about no issuer: to this reader there is none
	}
	log, _, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	err = s.Read(r, r.PathValue("log"), "outage "+audit.Address(log, index), func(sources []site.Source) error {
		sources, done := p.Tolerant(sources)
		defer done()
		source := &sources[0]
		o, err := history.At(r.Context(), source.Store, log, index)
		if err != nil {
			return err
		}
		found, err := o.Invoices(r.Context(), source.Store, source.Logs)
		if err != nil {
			return err
		}
		caeas, err := o.CAEAs(r.Context(), source.Store, source.Logs, found)
		if err != nil {
			return err
		}
		p.incident = incidentOf(&p.Frame, o, source)
		p.Month = p.Base + "/outages?" + url.Values{"month": {o.Began.In(wsfev1.Argentina).Format("2006-01")}}.Encode()
		p.fill(o, found, caeas, source)
		return nil
	})
	if err != nil {
		return err
	}
	return s.Show(w, http.StatusOK, onePage, p)
}

// fateClasses are the classes of the fates.
var fateClasses = map[history.Fate]string{
	history.Later: "good", history.During: "good", history.Before: "good", history.Recovered: "good", history.Unknown: "open", history.NotIssued: "bad",
}

func (p *outagePage) fill(o *history.Outage, found *history.Invoices, caeas []history.CAEA, source *site.Source) {
	p.Sum, p.More = p.sum(found), found.More
	for _, one := range found.All {
		p.Invoices = append(p.Invoices, invoice{
			Issuer: spanish.CUIT(one.Cuit), Name: spanish.Voucher(one.Tipo) + " " + spanish.Number(one.PtoVta, one.Number), Attempts: strconv.Itoa(one.Attempts),
			Fate: p.T("fate." + string(one.Fate)), Class: fateClasses[one.Fate], Address: p.AddressOf(source.Key(one.By.Log), one.By.Index), Record: one.By.Address(),
		})
	}
	p.Facts = append(p.Facts, proven{Name: p.T("fact.attempts"), Value: p.Count(int64(found.Attempts))})
	for _, shown := range p.Shown {
		p.Facts = append(p.Facts, proven{shown.Name, "", shown.Address, shown.Record})
	}
	for _, had := range caeas {
		fact := proven{Name: p.T("fact.caea") + " " + spanish.CUIT(had.Cuit), Value: p.T("fact.no_caea")}
		if had.Code != "" {
			fact.Value = fmt.Sprintf(p.T("fact.had_caea"), had.Code, p.Moment(had.When))
			fact.Address, fact.Record = p.AddressOf(source.Key(had.By.Log), had.By.Index), had.By.Address()
		}
		p.Facts = append(p.Facts, fact)
	}
}

// sum tells what became of the invoices: "6 comprobantes pedidos (24 intentos): 5 se emitieron después".
func (p *outagePage) sum(found *history.Invoices) string {
	if len(found.All) == 0 {
		return p.T("sum.none")
	}
	text := fmt.Sprintf(p.Plural(len(found.All), "sum.asked"), len(found.All)) + " " + fmt.Sprintf(p.Plural(found.Attempts, "sum.attempts"), found.Attempts)
	var parts []string
	for _, fate := range history.Fates {
		if n := found.Counts[fate]; n > 0 {
			parts = append(parts, fmt.Sprintf(p.Plural(n, "sum."+string(fate)), n))
		}
	}
	return text + ": " + strings.Join(parts, ", ") + "."
}

package tryit

import (
	"net/http"
	"slices"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/exchange"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/wsfev1"
)

// addOpen adds the pages that open the request of a record.
func (t *tryPage) addOpen() {
	const at = "/try/{log}/{index}"
	t.site.Get(at, func(w http.ResponseWriter, r *http.Request) error { return t.open(w, r, false) })
	t.site.Post(at+"/reveal", func(w http.ResponseWriter, r *http.Request) error { return t.open(w, r, true) })
	t.site.Get(at+"/reveal", t.hide)
}

// hide leads a reader who has reloaded a revealed page to the page without the documents.
func (t *tryPage) hide(w http.ResponseWriter, r *http.Request) error {
	_, _, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	frame := t.site.Frame(r, page, "try", "try.title")
	http.Redirect(w, r, frame.TryAddress(r.PathValue("log"), index), http.StatusSeeOther) //nolint:gosec // the address begins with the path of the console
	return nil
}

// open puts the request of a record into the box, and judges it: as of now, unless the address has a date.
func (t *tryPage) open(w http.ResponseWriter, r *http.Request, reveal bool) error {
	query := r.URL.Query()
	p, err := t.newShown(r, choice{gateway: query.Get("gateway"), date: query.Get("date")})
	if err != nil {
		return err
	}
	if p.Opened, err = exchange.ReadRequest(t.site, r, &p.Frame, reveal); err != nil {
		return err
	}
	_, _, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	p.Address = p.TryAddress(r.PathValue("log"), index)
	if slices.Contains(p.Operations, p.Opened.Operation) {
		p.Operation = p.Opened.Operation
	}
	if p.Document = p.Opened.Text; len(p.Document) > maxDocument {
		return site.ErrTooLarge
	}
	if p.Verdict, err = t.verdict(r, p, []byte(p.Document), ""); err != nil {
		return err
	}
	return t.site.Show(w, http.StatusOK, page, p)
}

// OtherDay returns the day of the request that was opened, as the form has it; empty if it is judged as of that day.
func (p *shown) OtherDay() string {
	if day := p.Opened.At.In(wsfev1.Argentina).Format(time.DateOnly); day != p.Date {
		return day
	}
	return ""
}

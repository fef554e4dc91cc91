package search

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/search/listing"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/console/standing"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/wsfev1"
)

// invoiceRow is an invoice in a list: what it is now, whatever the search has found of it.
type invoiceRow struct {
	// Address is the address of its page, and Exchanges leads to all exchanges about it.
	Address   string `json:"address"`
	Exchanges string `json:"exchanges"`
	Anchor    string `json:"anchor"`
	// When is when the newest record came that matches.
	When     string `json:"when"`
	Machine  string `json:"machine"`
	Voucher  string `json:"voucher"`
	Issuer   string `json:"issuer"`
	Date     string `json:"date"`
	Receiver string `json:"receiver"`
	Total    string `json:"total"`
	State    string `json:"state"`
	Class    string `json:"class"`
	Code     string `json:"code"`
	// Attempts counts the requests to issue it, empty for none.
	Attempts string `json:"attempts"`

	at     time.Time
	detail detail
}

// sheets makes rows of invoices. It keeps the last request that it has read: a lot's is read once for all of its
// invoices.
type sheets struct {
	frame   *site.Frame
	sources []site.Source

	at    story.Place // with the key of the log
	of    *audit.Record
	lines []detailInvoice
	mask  *mask.Mask
	// damaged: the request cannot be read.
	damaged bool
}

// rowOf returns the row of an invoice.
func (s *sheets) rowOf(ctx context.Context, one *listing.Listed) (invoiceRow, error) {
	if one.Key.Cuit == 0 {
		of := unreadableRow(s.frame, one.Found)
		return invoiceRow{Address: of.Address, Anchor: of.Anchor, Voucher: of.Voucher + " " + of.Record, State: of.Outcome, Class: of.Class}, nil
	}
	r := invoiceRow{
		Address: s.frame.InvoiceAddress(one.Key.Cuit, one.Key.Tipo, one.Key.PtoVta, one.Key.Number), Exchanges: s.exchanges(&one.Key),
		When: s.frame.Moment(one.Time), Machine: one.Time.UTC().Format(time.RFC3339Nano), at: one.Time,
		Voucher: spanish.Voucher(one.Key.Tipo) + " " + spanish.Numbers(one.Key.PtoVta, one.Key.Number, one.Last), Issuer: spanish.CUIT(one.Key.Cuit),
	}
	r.Anchor = site.AnchorOf(r.Address)
	now, err := standing.Of(ctx, s.sources, one.Query())
	switch {
	case errors.Is(err, evidence.ErrTooMany):
		r.State, r.Attempts = s.frame.T("state.many"), s.frame.Count(int64(standing.MaxExchanges))+"+"
		return r, nil
	case damage.Is(err):
		r.State, r.Class = s.frame.T("row.damaged"), story.Bad
		return r, nil
	case err != nil || now == nil:
		return r, err
	}
	if err := s.read(ctx, now); err != nil {
		return r, err
	}
	r.State, r.Class = s.stateOf(now)
	switch attempts := attemptsIn(now); {
	case now.Partial:
		r.Attempts = s.frame.Count(int64(standing.MaxExchanges)) + "+"
	case attempts > 0:
		r.Attempts = s.frame.Count(int64(attempts))
	}
	if by := now.Found.By; by != nil {
		if now.Found.IsAuthorised() {
			r.Code = shown(s.mask.Code(by.Voucher.Code))
		}
		s.describe(&r, one.Key.Number, by)
	}
	if s.damaged {
		r.State, r.Class = r.State+" · "+s.frame.T("row.damaged"), story.Bad
	}
	return r, s.dateOf(ctx, &r, one, now)
}

// exchanges returns the address of the search for all exchanges about an invoice.
func (s *sheets) exchanges(k *listing.Key) string {
	return s.frame.Base + "/search?" + url.Values{
		"list": {ofExchanges}, "cuit": {k.Cuit.String()}, "cbte-tipo": {strconv.Itoa(int(k.Tipo))}, "pto-vta": {strconv.Itoa(int(k.PtoVta))},
		"nro": {strconv.FormatInt(k.Number, 10)},
	}.Encode()
}

// attemptsIn counts the requests of clients to issue the invoice.
func attemptsIn(now *standing.Standing) (n int) {
	for _, e := range now.Invoice.Entries {
		if e.Changes() && !e.IsOwn() {
			n++
		}
	}
	return n
}

// stateOf says what an invoice is now.
func (s *sheets) stateOf(now *standing.Standing) (text string, class story.Class) {
	v := &now.Found
	text = s.frame.T(v.StateWord())
	switch v.State {
	case story.Approved, story.Existing:
		class = story.Good
	case story.Unknown:
		text, class = text+" "+s.frame.T("state.since")+" "+s.frame.Moment(v.By.Began), story.Open
	case story.Rejected:
		text, class = text+s.whyNot(v.By), story.Bad
	case story.Absent:
	default:
		text = s.frame.T("state.none")
	}
	return text + notValid(s.frame, v.Environment), class
}

// whyNot says why an invoice was not issued, empty where the state says all. Others of its lot may have been.
func (s *sheets) whyNot(by *story.Entry) string {
	why := by.Outcome
	switch why {
	case audit.OutcomeNotIssued:
		return ""
	case audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomePartial, audit.OutcomeRecovered, audit.OutcomeReplayed:
		why = audit.OutcomeRejected
	}
	return ": " + shown(s.frame.Voice().OutcomeWord(why))
}

// read reads the request of the exchange that shows the state.
func (s *sheets) read(ctx context.Context, now *standing.Standing) error {
	by := now.Found.By
	if by == nil {
		s.at, s.of, s.lines, s.mask = story.Place{}, nil, nil, s.maskOf(nil)
		return nil
	}
	at := by.Place
	if by.Intent.Log != "" {
		at = by.Intent
	}
	key := story.Place{Log: now.Source.Key(at.Log), Index: at.Index}
	if s.of != nil && s.at == key {
		return nil
	}
	r, err := now.Source.Store.Get(ctx, at.Log, at.Index)
	s.damaged = damage.Is(err)
	switch {
	case errors.Is(err, audit.ErrNotFound) || s.damaged:
		r = &audit.Record{}
	case err != nil:
		return fmt.Errorf("reading the request %s: %w", at.Address(), err)
	}
	s.at, s.of, s.lines, s.mask = key, r, bodies.Invoices[detailInvoice](r.Request), s.maskOf(r)
	return nil
}

// maskOf returns what hides the documents of a request; nil if they are shown.
func (s *sheets) maskOf(r *audit.Record) *mask.Mask {
	switch {
	case !s.frame.Masks:
		return nil
	case r == nil:
		return mask.New(0)
	}
	return mask.Of(r.Cuit, r)
}

// describe adds the figures of the request.
func (s *sheets) describe(r *invoiceRow, number int64, by *story.Entry) {
	at := by.Position
	if at < 0 || at >= len(s.lines) || s.lines[at].number() != number {
		at = slices.IndexFunc(s.lines, func(line detailInvoice) bool { return line.number() == number })
	}
	if at < 0 {
		return
	}
	r.detail = s.lines[at].read()
	r.detail.currency = s.mask.Text(r.detail.currency)
	if date := s.lines[at].date(); date != "" {
		r.Date = s.day(date)
	}
	r.Total = r.detail.totalIn(s.frame)
	switch {
	case r.detail.receiver == "":
	case s.frame.Masks:
		r.Receiver = s.frame.T("masked")
	default:
		r.Receiver = shown(r.detail.receiver)
	}
}

// day words a date. Of a hidden one nothing is left that could be a document.
func (s *sheets) day(date wsfev1.Date) string {
	return spanish.Day(wsfev1.Date(s.mask.Code(string(date))))
}

// dateOf adds the date that the service has given to an invoice that was sent without one.
func (s *sheets) dateOf(ctx context.Context, r *invoiceRow, one *listing.Listed, now *standing.Standing) error {
	if r.Date != "" || !now.Found.IsAuthorised() {
		return nil
	}
	by := now.Found.By
	answer, err := now.Source.Store.Get(ctx, by.Log, by.Index)
	switch {
	case errors.Is(err, audit.ErrNotFound) || damage.Is(err):
		return nil
	case err != nil:
		return fmt.Errorf("reading the answer %s: %w", by.Address(), err)
	}
	if date := wsfev1.Date(bodies.Date(answer.Answer, one.Key.Number)); date.Valid() {
		r.Date = s.day(date)
	}
	return nil
}

package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// furthestVoucher is how many days a voucher may be dated ahead of its request
// (docs/sources.md#dates).
const furthestVoucher = 10

// caeDays is how many days after its voucher's date a CAE expires (docs/sources.md#authorisation-codes).
const caeDays = 10

// retained looks for content that a purge would take too early. It returns a RetainedError about
// the newest record of that kind, nil if there is none.
//
// A record counts by the year of its newest voucher that was issued or reported, so a December
// invoice that was recorded in January counts as of December, and a CAEA reported late by its own
// date. Any other record counts by the day on which its exchange began. Where the date cannot be
// read, because it is encrypted or was masked, a record of the last days of December counts as of
// the next year: an invoice may be dated ahead.
//
// Only records from shortly before the first year that must be kept on are read.
func retained(ctx context.Context, store Store, request *PurgeRequest, years int) error {
	now := request.Now
	if now.IsZero() {
		now = time.Now()
	}
	g := &retentionGuard{store: store, request: request, years: years, kept: now.In(wsfev1.Argentina).Year() - years}
	since := time.Date(g.kept, time.January, 1-furthestVoucher-1, 0, 0, 0, 0, wsfev1.Argentina)
	end := request.Before.Start()
	if !since.Before(end) {
		return nil
	}
	for _, kind := range []Kind{0, KindAccess, KindOutage} {
		for r, err := range store.Search(ctx, Query{Log: request.Log, Kind: kind, Since: since, Until: end}) {
			if err == nil {
				err = g.judge(ctx, r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// retentionGuard judges the records of one purge.
type retentionGuard struct {
	store   Store
	request *PurgeRequest
	years   int
	// kept is the first year that must still be kept.
	kept int
}

func (g *retentionGuard) judge(ctx context.Context, r *Record) error {
	began, err := g.began(ctx, r)
	if err != nil {
		return err
	}
	held := make(Holds, len(g.request.Held))
	for _, cuit := range g.request.Held {
		held[cuit] = true
	}
	period := PeriodOf(began)
	if period >= g.request.Before || r.Presence == Purged || held.Keep(r, nil) {
		return nil
	}
	if year := r.retentionYear(began); year >= g.kept {
		return &RetainedError{Log: r.Log, Index: r.Index, Period: period, Year: year, Years: g.years, Before: g.request.Before}
	}
	return nil
}

// began returns when the exchange of a record began. The outcome of one that was settled later may
// be of another month than its intent, whose content goes.
func (g *retentionGuard) began(ctx context.Context, r *Record) (time.Time, error) {
	if r.Kind != KindOutcome || PeriodOf(r.Time) < g.request.Before {
		return r.Time, nil
	}
	intent, err := g.store.Get(ctx, r.Log, r.Intent)
	if errors.Is(err, ErrNotFound) {
		return r.Time, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the intent of %s: %w", Address(r.Log, r.Index), err)
	}
	return intent.Time, nil
}

// retentionYear returns the year by which the record counts. began is when its exchange began.
func (r *Record) retentionYear(began time.Time) int {
	own := wsfev1.DateOf(began)
	if r.Operation != "FECAESolicitar" && r.Operation != "FECAEARegInformativo" {
		return yearOf(own)
	}
	issued := r.Kind == KindIntent || r.Certainty == Unknown
	var newest wsfev1.Date
	dates := r.voucherDates()
	for _, v := range r.Vouchers {
		if v.Code == "" || v.Resultado == wsfev1.Rechazado {
			continue
		}
		issued = true
		if expires := wsfev1.Date(v.Expires); len(dates) == 0 && r.Operation == "FECAESolicitar" && expires.Valid() {
			newest = max(newest, expires.AddDays(-caeDays))
		}
	}
	for _, date := range dates {
		newest = max(newest, date)
	}
	furthest := own.AddDays(furthestVoucher)
	switch {
	case !issued:
		return yearOf(own)
	case newest == "":
		return yearOf(furthest)
	case newest > furthest: // no voucher has such a date
		return yearOf(own)
	case r.Operation == "FECAESolicitar" && newest < own.AddDays(-furthestVoucher):
		return yearOf(own)
	}
	return yearOf(newest)
}

func yearOf(d wsfev1.Date) int {
	t, _ := d.Time()
	return t.Year()
}

// datedVoucher is a voucher in a request or an answer.
type datedVoucher struct {
	CbteFch   jsontext.Value
	Resultado string
}

// voucherDates returns the dates of the vouchers that the record is about, as far as they can be
// read: of an answer those that are approved, of a request without an answer all.
func (r *Record) voucherDates() (dates []wsfev1.Date) {
	var request struct {
		FeCAEReq, FeCAEARegInfReq struct {
			FeDetReq struct{ FECAEDetRequest, FECAEADetRequest []datedVoucher }
		}
	}
	var answer struct {
		FeDetResp struct{ FECAEDetResponse, FECAEADetResponse []datedVoucher }
		ResultGet *datedVoucher // of a settlement
	}
	add := func(all []datedVoucher, approved bool) {
		for _, v := range all {
			text, err := jsontext.AppendUnquote(nil, []byte(v.CbteFch))
			if err != nil {
				text = v.CbteFch // a number
			}
			if date := wsfev1.Date(text); date.Valid() && (!approved || v.Resultado == wsfev1.Aprobado) {
				dates = append(dates, date)
			}
		}
	}
	lenient := json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if len(r.Answer) > 0 {
		if json.Unmarshal(r.Answer, &answer, lenient) == nil {
			add(answer.FeDetResp.FECAEDetResponse, true)
			add(answer.FeDetResp.FECAEADetResponse, true)
			if answer.ResultGet != nil {
				add([]datedVoucher{*answer.ResultGet}, true)
			}
		}
		return dates
	}
	if len(r.Request) > 0 && json.Unmarshal(r.Request, &request, lenient) == nil {
		add(request.FeCAEReq.FeDetReq.FECAEDetRequest, false)
		add(request.FeCAEARegInfReq.FeDetReq.FECAEADetRequest, false)
	}
	return dates
}

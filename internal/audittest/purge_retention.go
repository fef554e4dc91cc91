package audittest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// retainedLog is the log of the tests of retention.
const retainedLog = logName

// day is noon of a day in Argentina.
func day(text string) time.Time {
	t, err := time.ParseInLocation(time.DateOnly, text, wsfev1.Argentina)
	if err != nil {
		panic(err) // a mistake in a test
	}
	return t.Add(12 * time.Hour)
}

// recorded is a record of a time when a voucher of another day was issued or reported.
func recorded(on string, change ...func(*audit.Record)) *audit.Record {
	r := &audit.Record{
		Kind: audit.KindExchange, ID: on, Time: day(on), Node: "gateway-1", Operation: "FECAESolicitar",
		Cuit: 20000000001, PtoVta: 1, CbteTipo: 6, Decision: "forward", Outcome: "approved", Certainty: audit.Answered,
		Vouchers: []audit.Voucher{{CbteDesde: 1, CbteHasta: 1}}, Request: []byte("{}"),
	}
	for _, one := range change {
		one(r)
	}
	return r
}

// of are the dates of the vouchers that are approved in the record.
func of(dates ...string) func(*audit.Record) {
	return func(r *audit.Record) {
		member, code := "FECAEDetResponse", "CAE"
		if r.Operation == "FECAEARegInformativo" {
			member, code = "FECAEADetResponse", "CAEA"
		}
		r.Vouchers = nil
		var details []string
		for i, date := range dates {
			v := audit.Voucher{CbteDesde: int64(i) + 1, CbteHasta: int64(i) + 1, Code: "86000000000001", Resultado: "A"}
			if code == "CAE" {
				v.Expires = string(wsfev1.Date(date).AddDays(10))
			}
			r.Vouchers = append(r.Vouchers, v)
			details = append(details, fmt.Sprintf(`{"CbteFch":%q,"Resultado":"A",%q:"86000000000001"}`, date, code))
		}
		r.Answer = []byte(`{"FeDetResp":{"` + member + `":[` + strings.Join(details, ",") + `]}}`)
	}
}

func reported(r *audit.Record) { r.Operation = "FECAEARegInformativo" }

func unread(r *audit.Record) { r.Answer = nil }

// rejected is a request whose invoice was not issued, with any date in it.
func rejected(r *audit.Record) {
	r.Outcome, r.Vouchers[0].Resultado = "rejected", "R"
	r.Request = []byte(`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"CbteFch":"20991231"}]}}}`)
	r.Answer = []byte(`{"FeDetResp":{"FECAEDetResponse":[{"CbteFch":"19900101","Resultado":"R"}]}}`)
}

// sent is a request without an outcome.
func sent(date string) func(*audit.Record) {
	return func(r *audit.Record) {
		r.Kind, r.Outcome, r.Certainty = audit.KindIntent, "", ""
		r.Request = []byte(`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"CbteFch":"` + date + `","CbtesAsoc":{"CbteAsoc":[{"CbteFch":"20300101"}]}}]}}}`)
	}
}

func asked(r *audit.Record) {
	r.Operation, r.Vouchers = "FECompConsultar", []audit.Voucher{{CbteDesde: 1, CbteHasta: 1, Code: "86000000000001", Expires: "20200101", Resultado: "A"}}
	r.Answer = []byte(`{"ResultGet":{"CbteFch":"20191222","Resultado":"A"}}`)
}

// try purges at a moment, and returns the error.
func try(t *testing.T, s audit.Store, p audit.Purger, before, on string, change ...func(*audit.PurgeRequest)) (audit.PurgeResult, error) {
	t.Helper()
	period, err := audit.ParsePeriod(before)
	if err != nil {
		t.Fatal(err)
	}
	request := audit.PurgeRequest{Log: retainedLog, Before: period, Now: day(on)}
	for _, one := range change {
		one(&request)
	}
	return purgeNow(t, s, p, request)
}

// keptByTheVouchersDate: each case is a log of its own.
func keptByTheVouchersDate(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	p := purger(t)
	defer closePurger(t, p)
	for name, test := range map[string]struct {
		records []*audit.Record
		before  string
		// year is that by which it counts, kept: to the day before years later.
		year int
	}{
		"its own year":                      {[]*audit.Record{recorded("2014-06-15", of("20140615"))}, "2014-07", 2014},
		"the last day":                      {[]*audit.Record{recorded("2014-12-31", of("20141231"))}, "2015-01", 2014},
		"December recorded in January":      {[]*audit.Record{recorded("2015-01-05", of("20141230"))}, "2015-02", 2014},
		"January recorded in December":      {[]*audit.Record{recorded("2014-12-28", of("20150103"))}, "2015-01", 2015},
		"so encrypted":                      {[]*audit.Record{recorded("2014-12-28", of("20150103"), unread)}, "2015-01", 2015},
		"the same, of December":             {[]*audit.Record{recorded("2014-12-28", of("20141228"), unread)}, "2015-01", 2014},
		"a CAEA reported late":              {[]*audit.Record{recorded("2015-03-05", reported, of("20141230"))}, "2015-04", 2014},
		"so that nothing can be read":       {[]*audit.Record{recorded("2014-12-28", reported, of("20141228"), unread)}, "2015-01", 2015},
		"a lot of two years":                {[]*audit.Record{recorded("2015-01-03", of("20141231", "20150102"))}, "2015-02", 2015},
		"rejected, with any date":           {[]*audit.Record{recorded("2014-06-15", rejected)}, "2014-07", 2014},
		"of a date that no voucher has":     {[]*audit.Record{recorded("2014-06-15", of("20991231"))}, "2014-07", 2014},
		"of a date too old for a CAE":       {[]*audit.Record{recorded("2014-06-15", of("19900101"))}, "2014-07", 2014},
		"without an outcome, of January":    {[]*audit.Record{recorded("2014-12-28", sent("20150103"))}, "2015-01", 2015},
		"without an outcome, of December":   {[]*audit.Record{recorded("2014-12-28", sent("20141228"))}, "2015-01", 2014},
		"a query about a voucher":           {[]*audit.Record{recorded("2014-12-28", asked)}, "2015-01", 2014},
		"a reading":                         {[]*audit.Record{recorded("2014-12-28", func(r *audit.Record) { *r = audit.Record{Kind: audit.KindAccess, ID: "a", Time: r.Time, Detail: "d"} })}, "2015-01", 2014},
		"an outage":                         {[]*audit.Record{recorded("2014-12-28", func(r *audit.Record) { *r = audit.Record{Kind: audit.KindOutage, ID: "o", Time: r.Time, Detail: "d"} })}, "2015-01", 2014},
		"the newest of a month counts":      {[]*audit.Record{recorded("2015-01-05", of("20141230")), recorded("2015-01-06", of("20150106"))}, "2015-02", 2015},
		"an earlier month does not save it": {[]*audit.Record{recorded("2003-01-05", of("20030105")), recorded("2015-01-06", of("20150106"))}, "2015-02", 2015},
	} {
		log := "kept " + name
		must(t, s, log, 0, test.records...)
		on := func(year int, monthAndDay string) func(*audit.PurgeRequest) {
			return func(r *audit.PurgeRequest) {
				r.Log, r.Now, r.DryRun = log, day(fmt.Sprintf("%d-%s", year, monthAndDay)), true
			}
		}
		_, err := try(t, s, p, test.before, "2000-01-01", on(test.year+audit.DefaultRetention, "12-31"))
		var early *audit.RetainedError
		if !errors.As(err, &early) || early.Year != test.year || early.Years != audit.DefaultRetention ||
			early.MayGo() != wsfev1.Date(fmt.Sprintf("%d0101", test.year+audit.DefaultRetention+1)) {
			t.Errorf("%s, too early: %v", name, err)
		}
		if _, err := try(t, s, p, test.before, "2000-01-01", on(test.year+audit.DefaultRetention+1, "01-01")); err != nil {
			t.Errorf("%s, in time: %v", name, err)
		}
	}
}

// retainedStays: nothing goes and nothing is recorded, whatever else is old enough.
func retainedStays(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	recordedMonths(t, s, retainedLog, []*audit.Record{
		recorded("2012-06-15", of("20120615")), recorded("2013-06-15", of("20130615")), recorded("2014-06-15", of("20140615")),
	})
	p := purger(t)
	defer closePurger(t, p)
	is := func(what string, err error, gone uint64) {
		t.Helper()
		var early *audit.RetainedError
		if errors.As(err, &early) != (what == "refused") || err != nil && what != "refused" {
			t.Fatalf("%s: %v", what, err)
		}
		if report := verified(t, s, retainedLog); !report.Sound() || report.Purged != gone {
			t.Fatalf("%s: %+v", what, report)
		}
	}
	_, err := try(t, s, p, "2014-07", "2026-11-23")
	is("refused", err, 0)
	result, err := try(t, s, p, "2014-07", "2026-11-23", func(r *audit.PurgeRequest) { r.DryRun = true })
	if is("refused", err, 0); result.Total().Purged != 3 {
		t.Errorf("a dry run that counts %+v", result)
	}
	_, err = try(t, s, p, "2014-01", "2026-11-23")
	is("done", err, 2)
	_, err = try(t, s, p, "2014-01", "2026-11-23")
	is("done again", err, 2)

	keep(t, s, 13)
	_, err = try(t, s, p, "2014-07", "2027-12-31")
	is("refused", err, 2)
	keep(t, s, 0)
	_, err = try(t, s, p, "2014-07", "2014-12-31")
	is("refused", err, 2)
	if err := audit.KeepRetention(t.Context(), s, "another log", audit.MaxRetention); err != nil {
		t.Fatal(err)
	}
	_, err = try(t, s, p, "2014-07", "2015-01-01")
	is("done", err, 3)
	if r := newest(t, s); r.Purge == nil || r.Purge.Retention == nil || *r.Purge.Retention != (audit.PurgeRetention{}) {
		t.Errorf("the record of a purge by a retention of no years: %+v", r)
	}
}

// overrideIsRecorded, and only a line of text is a reason.
func overrideIsRecorded(t *testing.T, open Open, purger OpenPurger) {
	s := open(t)
	defer closeStore(t, s)
	recordedMonths(t, s, retainedLog, []*audit.Record{recorded("2013-06-15", of("20130615")), recorded("2026-06-15", of("20260615"))})
	p := purger(t)
	defer closePurger(t, p)
	long := strings.Repeat("ñ", audit.MaxOverride+1)
	for _, reason := range []string{" ", "a\nb", "a\x1b[2J", "a\u202eb", "a\u2028b", "a\x00", "\xff", long} {
		if _, err := try(t, s, p, "2026-07", "2026-11-23", func(r *audit.PurgeRequest) { r.Override = reason }); !errors.Is(err, audit.ErrOverride) {
			t.Errorf("%q: %v", reason, err)
		}
	}
	if report := verified(t, s, retainedLog); report.Purged != 0 {
		t.Fatalf("%+v", report)
	}
	for _, test := range []struct{ before, reason, kept string }{
		{"2014-01", "no hace falta", ""}, // it may go: no reason is recorded
		{"2026-07", long[2:], long[2:]},
	} {
		if _, err := try(t, s, p, test.before, "2026-11-23", func(r *audit.PurgeRequest) { r.Override = test.reason }); err != nil {
			t.Fatal(err)
		}
		r := newest(t, s)
		if r.Outcome != audit.AccessPurge || (test.kept == "") != (r.Purge.Retention == nil) ||
			test.kept != "" && *r.Purge.Retention != (audit.PurgeRetention{Years: audit.DefaultRetention, Override: test.kept}) {
			t.Errorf("%+v %+v", r, r.Purge)
		}
	}
	if report := verified(t, s, retainedLog); !report.Sound() || report.Purged != 2 {
		t.Errorf("%+v", report)
	}
}

// keep sets the retention of the log.
func keep(t *testing.T, s audit.Store, years int) {
	t.Helper()
	if err := audit.KeepRetention(t.Context(), s, retainedLog, years); err != nil {
		t.Fatal(err)
	}
	if got, err := audit.Retention(t.Context(), s, retainedLog); got != years || err != nil {
		t.Fatalf("%d, %v, want %d", got, err, years)
	}
}

// newest returns the newest record of the log.
func newest(t *testing.T, s audit.Store) *audit.Record {
	t.Helper()
	head, err := s.Head(t.Context(), retainedLog)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Get(t.Context(), retainedLog, head.Size-1)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// purgeNow purges as the command does.
func purgeNow(t *testing.T, s audit.Store, p audit.Purger, request audit.PurgeRequest) (audit.PurgeResult, error) {
	t.Helper()
	return audit.PurgeRecorded(t.Context(), s, p, request, recordIn(t, s, nil, request.Log))
}

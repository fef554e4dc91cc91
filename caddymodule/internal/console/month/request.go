package month

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/caddymodule/internal/when"
	"github.com/fielato/fielato/wsfev1"
)

// request is what an address asks for.
type request struct {
	wanted closing.Wanted
	// issuer is the text of the issuer, shortened.
	issuer string
	// wrong are the keys of the words that say what cannot be read.
	wrong []string
}

// maxIssuer is the length of the longest text that is repeated, in bytes.
const maxIssuer = 40

// monthOf returns the month of a moment.
func monthOf(t time.Time) closing.Month {
	t = t.In(wsfev1.Argentina)
	return closing.Month{Year: t.Year(), Month: t.Month()}
}

// next returns a month that comes so many months later.
func next(m closing.Month, months int) closing.Month {
	since, _ := m.Bounds()
	return monthOf(since.AddDate(0, months, 0))
}

// parse reads an address. Without a month it is the last whole one, which is also shown for one that cannot be read.
func parse(values url.Values, now time.Time) *request {
	present := monthOf(now)
	q := &request{wanted: closing.Wanted{Month: next(present, -1), By: closing.ByDate}}
	if text := strings.TrimSpace(values.Get("month")); text != "" {
		month, ok := readMonth(text, now)
		since, _ := month.Bounds()
		if !ok || month.Year < 2000 || since.After(now) {
			q.wrong = append(q.wrong, "wrong.month")
		} else {
			q.wanted.Month = month
		}
	}
	if text := strings.TrimSpace(values.Get("cuit")); text != "" {
		var err error
		if q.wanted.Issuer, err = wsfev1.ParseCUIT(text); err == nil {
			err = q.wanted.Issuer.Check()
		}
		if err != nil {
			q.wrong = append(q.wrong, "wrong.cuit")
		}
		q.issuer = strings.ToValidUTF8(text[:min(len(text), maxIssuer)], "")
	}
	switch by := closing.By(values.Get("by")); by {
	case "", closing.ByDate:
	case closing.ByAuthorised:
		q.wanted.By = by
	default:
		q.wrong = append(q.wrong, "wrong.by")
	}
	return q
}

// readMonth reads a month as people write it: a browser without a field for months sends any text.
func readMonth(text string, now time.Time) (closing.Month, bool) {
	words := strings.Fields(text)
	span, taken := when.Words(words, now)
	month := monthOf(span.From)
	since, until := month.Bounds()
	return month, taken > 0 && taken == len(words) && span.From.Equal(since) && span.To.Equal(until)
}

// flags are the flags of the command that does the same.
func (q *request) flags() string {
	text := "--month " + q.wanted.Month.String()
	if q.wanted.Issuer != 0 {
		text += " --cuit " + q.wanted.Issuer.String()
	}
	if q.wanted.By != closing.ByDate {
		text += " --by " + string(q.wanted.By)
	}
	return text
}

// address returns the parameters of the same request for another month.
func (q *request) address(m closing.Month) string {
	values := url.Values{"month": {m.String()}}
	if q.wanted.Issuer != 0 {
		values.Set("cuit", q.wanted.Issuer.String())
	}
	if q.wanted.By != closing.ByDate {
		values.Set("by", string(q.wanted.By))
	}
	return "?" + values.Encode()
}

// search returns the parameters of the search for the exchanges of a series in the month.
func (q *request) search(s *closing.Series) string {
	since, until := q.wanted.Month.Bounds()
	last := until.AddDate(0, 0, -1) // the search has the whole of it, and shows its reader no day of the next month
	return "?" + url.Values{
		"cuit": {s.Issuer.String()}, "cbte-tipo": {strconv.Itoa(int(s.CbteTipo))}, "pto-vta": {strconv.Itoa(int(s.PtoVta))},
		"since": {since.Format(time.DateOnly)}, "until": {last.Format(time.DateOnly)},
	}.Encode()
}

// file names the table.
func (q *request) file() string {
	name := "fielato-"
	if q.wanted.Issuer != 0 {
		name += q.wanted.Issuer.String() + "-"
	}
	return name + q.wanted.Month.String() + ".csv"
}

package today

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/tally"
)

// shownSeries is a numbering as the page shows it.
type shownSeries struct {
	Issuer, Voucher, Last, Count, When, Address string
	// Service names the service where that is not clear.
	Service string
	// Missing says how many numbers are missing; empty for none.
	Missing string
}

// service names the service of a numbering, unless it is the only one of its name and may be production. Numberings of one
// name are neighbours.
func (p *todayPage) service(all []tally.Series, i int) string {
	own := all[i].SeriesKey
	named := own.Environment == environment.Testing || own.Environment == environment.BuiltIn
	for _, neighbour := range all[max(0, i-1):min(len(all), i+2)] {
		key := neighbour.SeriesKey
		key.Environment = own.Environment
		named = named || key == own && neighbour.Environment != own.Environment
	}
	if !named {
		return ""
	}
	return p.T("series." + string(cmp.Or(own.Environment, "unknown")))
}

func (p *todayPage) seriesOf(all []tally.Series, i int) shownSeries {
	s, missing := &all[i], ""
	if s.Missing > 0 {
		missing = fmt.Sprintf(p.Plural(int(s.Missing), "lacks"), p.Count(s.Missing))
	}
	return shownSeries{
		Issuer: spanish.CUIT(s.Cuit), Voucher: spanish.Voucher(s.Tipo), Service: p.service(all, i), Last: spanish.Number(s.PtoVta, s.Last), When: p.Moment(s.When), Missing: missing,
		Count:   p.Count(s.Count),
		Address: p.search(url.Values{"q": {s.Cuit.String() + " " + strconv.Itoa(int(s.Tipo)) + "-" + strconv.Itoa(int(s.PtoVta)) + "-" + strconv.FormatInt(s.Last, 10)}}),
	}
}

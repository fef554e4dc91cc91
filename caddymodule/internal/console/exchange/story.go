package exchange

import (
	"time"

	"github.com/fielato/fielato/caddymodule/internal/story"
)

// step is an event of the story on the page.
type step struct {
	story.Event
	// When and Machine are its moment, empty where none was recorded of its own.
	When, Machine string
	// Record is the record that it stands in, and Address the page of that.
	Record, Address string
	// To and ToName lead to more: the findings, the outages.
	To, ToName string
	// Here: it stands in the record of the page's address.
	Here bool
}

// tell tells the story in the order in which it happened.
func (p *exchangePage) tell(x *story.Exchange, about *related) {
	for _, e := range p.voice.Events(x, about.Around) {
		s := step{Event: e}
		if !e.At.IsZero() {
			s.When, s.Machine = p.Moment(e.At)+e.At.Format(".000"), e.At.UTC().Format(time.RFC3339Nano)
		}
		if r := e.Record; r != nil {
			s.Record, s.Address = r.Address(), p.AddressOf(r.Log, r.Index)
			s.Here = s.Record == p.Record
		}
		switch {
		case e.Findings:
			s.To, s.ToName = "#findings", p.T("findings")
		case e.Outage:
			s.To, s.ToName = p.Base+"/outages", p.T("nav.outages")
		case e.Origin != "":
			s.To, s.ToName = p.recordAddress(e.Origin), e.Origin
		}
		p.Story = append(p.Story, s)
	}
}

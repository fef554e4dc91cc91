package search

import (
	"net/url"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/search/listing"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// What a list is of, as the parameter list of an address has it.
const (
	ofInvoices  = "invoices"
	ofExchanges = "exchanges"
)

// hiddenQuestions is the value of the parameter questions that leaves out the questions of the gateway.
const hiddenQuestions = "hidden"

// aboutInvoices are the operations whose requests name invoices.
var aboutInvoices = []string{"FECAESolicitar", "FECAEARegInformativo", "FECompConsultar"}

// ofAnInvoice are the outcomes that say what became of an invoice. All others say what happened on the wire.
var ofAnInvoice = []audit.Outcome{
	audit.OutcomeApproved, audit.OutcomeObserved, audit.OutcomePartial, audit.OutcomeRejected, audit.OutcomeRefused,
	audit.OutcomeRecovered, audit.OutcomeNotIssued, outcome.Different,
}

// listed returns the list that is asked for.
func (r *request) listed() *listing.Asked {
	return &listing.Asked{Query: r.Query, Log: r.log, Quiet: r.quiet, Invoices: r.listsInvoices()}
}

func (r *request) readList(values url.Values) {
	if list := values.Get("list"); list == ofInvoices || list == ofExchanges {
		r.list = list
	}
	r.quiet = values.Get("questions") == hiddenQuestions
}

// addList adds the parameters of the list.
func (r *request) addList(values url.Values) {
	if r.list != "" {
		values.Set("list", r.list)
	}
	if r.quiet {
		values.Set("questions", hiddenQuestions)
	}
}

// listsInvoices reports whether the list is of invoices. It is, unless the search asks for something that only exchanges
// have.
func (r *request) listsInvoices() bool {
	return r.mayListInvoices() && (r.list == ofInvoices || r.list == "" && !r.asksForExchanges())
}

// mayListInvoices reports whether the search can be about an invoice.
func (r *request) mayListInvoices() bool {
	q := &r.Query
	return q.Kind != audit.KindAccess && q.Kind != audit.KindOutage && (q.Operation == "" || slices.Contains(aboutInvoices, q.Operation))
}

// asksForExchanges reports whether the search asks for something that only exchanges have.
func (r *request) asksForExchanges() bool {
	q := &r.Query
	return q.Kind != 0 || q.Outcome != "" && !slices.Contains(ofAnInvoice, q.Outcome) || q.ID != "" || !q.TraceID.IsZero() ||
		q.Certainty != "" || q.Decision != "" || q.Status != 0 || q.MinDuration != 0
}

// choice is a kind of list. The one that is shown has no address.
type choice struct{ Name, Address string }

// Lists are the kinds of list.
func (p *searchPage) Lists() []choice {
	if !p.asked.mayListInvoices() {
		return nil
	}
	invoices, exchanges := choice{p.T("list.invoices"), p.switched(ofInvoices)}, choice{p.T("list.exchanges"), p.switched(ofExchanges)}
	if p.asked.listsInvoices() {
		invoices.Address = ""
	} else {
		exchanges.Address = ""
	}
	return []choice{invoices, exchanges}
}

// Questions leads to the same list with or without the gateway's own questions. A list of invoices never has them.
func (p *searchPage) Questions() *choice {
	if p.asked.listsInvoices() {
		return nil
	}
	values := p.asked.address()
	if p.asked.quiet {
		values.Del("questions")
		return &choice{p.T("questions.show"), p.addressOf("/search", values)}
	}
	values.Set("questions", hiddenQuestions)
	return &choice{p.T("questions.hide"), p.addressOf("/search", values)}
}

// switched returns the address of the same search with another list.
func (p *searchPage) switched(list string) string {
	values := p.asked.address("list", list)
	if list == ofInvoices {
		values.Del("questions")
	}
	return p.addressOf("/search", values)
}

// KeptInForm are the parameters of the list, which the form of the filters keeps.
func (p *searchPage) KeptInForm() url.Values {
	values := url.Values{}
	p.asked.addList(values)
	return values
}

// wordOf returns the words for a key as they are for the list.
func (p *searchPage) wordOf(key string) string {
	if p.asked.listsInvoices() {
		return p.T(key + ".invoices")
	}
	return p.T(key)
}

// ListsInvoices, for the template.
func (p *searchPage) ListsInvoices() bool { return p.asked.listsInvoices() }

// None says that nothing matches.
func (p *searchPage) None(far bool) string {
	switch {
	case far:
		return p.wordOf("none.far")
	case p.IsWhole():
		return p.wordOf("none.yet")
	}
	return p.wordOf("none.here")
}

package exchange

import (
	"context"
	"embed"
	"net/http"
	"net/url"
	"strconv"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
)

//go:embed templates
var files embed.FS

//go:embed assets
var assets embed.FS

var page = site.NewPage(files, "templates/*.html", words)

// Add adds the page to the site.
func Add(s *site.Site) {
	s.Assets(assets, "assets")
	s.Get("/exchange/{log}/{index}", func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r, false) })
	s.Get("/exchange/{log}/{index}/{part}", func(w http.ResponseWriter, r *http.Request) error { return download(s, w, r, false) })
	s.Get("/exchange/{log}/{index}/reveal", func(w http.ResponseWriter, r *http.Request) error { return back(s, w, r) })
	s.Get("/exchange/{log}/{index}/reveal/{part}", func(w http.ResponseWriter, r *http.Request) error { return back(s, w, r) })
	s.Post("/exchange/{log}/{index}/reveal", func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r, true) })
	s.Post("/exchange/{log}/{index}/reveal/{part}", func(w http.ResponseWriter, r *http.Request) error { return download(s, w, r, true) })
}

// back leads a reader who has reloaded or sent the address of a revealed page to the page itself.
func back(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	_, _, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	p := s.Frame(r, page, "", "")
	http.Redirect(w, r, p.AddressOf(r.PathValue("log"), index), http.StatusSeeOther) //nolint:gosec // the address begins with the path of the console
	return nil
}

// exchangePage is one record and all that belongs to it.
type exchangePage struct {
	site.Frame
	// Address is the address of the page, and Record the address of the record.
	Address, Record               string
	Heading, Outcome, Class, Code string
	Expires                       string
	// Back is the address of the search that has led here.
	Back string
	// Proof is the address of the page that proves the record, and Try the address of the page on which a refused request
	// is corrected; empty for none.
	Proof, Try string
	// Notes are what a reader must know first.
	Notes    []note
	Story    []step
	Facts    []fact
	Links    []link
	Invoices invoices
	// QR is the code of the one invoice, nil for none.
	QR *qrcode.Drawn
	// Findings are the gateway's findings, and MoreFindings how many are not shown. Said are the messages
	// of the service, or of the gateway in its place.
	Findings     []*tree.Finding
	MoreFindings int
	Said         []Said
	MoreSaid     int
	SaidBy       string
	Documents    []document
	// Masked: documents of receivers are hidden here. Revealed: they would be, and the reader wanted to
	// see them.
	Masked, Revealed bool

	mask  *mask.Mask
	voice story.Voice
	from  int
	// searched are the parameters of the search that has led here.
	searched url.Values
	// mark is the mark of the page's source (site.LogOf): all records that belong to an exchange are in
	// one.
	mark string
}

// AddressOf returns the address of another record of the same source.
func (p *exchangePage) AddressOf(log string, index uint64) string {
	return p.Frame.AddressOf(log+p.mark, index)
}

// note is a line above the story. Address is where it leads to, empty for none.
type note struct{ Text, Address, Name string }

// fact is a line about the exchange.
type fact struct {
	Name, Value string
	// Address is where it leads to, empty for none.
	Address string
}

// link is another page about the same.
type link struct{ Name, Text, Address string }

// doing words what a reader gets to see, for the record of it.
func doing(revealed bool, log string, index uint64) string {
	if revealed {
		return "reveal " + audit.Address(log, index)
	}
	return "show " + audit.Address(log, index)
}

// show shows the exchange of a record, with or without the documents of receivers.
func show(s *site.Site, w http.ResponseWriter, r *http.Request, reveal bool) error {
	log, mark, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	p := &exchangePage{Frame: s.Frame(r, page, "search", "exchange"), Record: audit.Address(log, index), mark: mark}
	p.Address = p.AddressOf(log, index)
	p.Back, p.Text = p.Frame.Back(r)
	p.searched = r.URL.Query()
	p.Masked, p.Revealed = p.Masks && !reveal, p.Masks && reveal
	if from, err := strconv.Atoi(r.URL.Query().Get(site.Window)); err == nil && from > 0 && from < 1<<20 {
		p.from = from
	}
	err = s.Read(r, log+mark, doing(p.Revealed, log, index), func(sources []site.Source) error {
		sources, done := p.Tolerant(sources)
		defer done()
		return p.read(r.Context(), &sources[0], log, index)
	})
	if err != nil {
		return err
	}
	return s.Show(w, http.StatusOK, page, p)
}

// read fills the page.
func (p *exchangePage) read(ctx context.Context, source *site.Source, log string, index uint64) error {
	c, err := chainOf(ctx, source, log, index)
	if err == nil {
		err = hideOthers(ctx, source, c)
	}
	if err != nil {
		return err
	}
	p.voice.Lang = story.LangOf(p.Lang)
	if p.Masked {
		p.mask = maskOf(c)
		p.voice.Hide = p.mask
	}
	switch c.At.Kind {
	case audit.KindAccess:
		p.showAccess(c.At)
		return nil
	case audit.KindOutage:
		return p.showOutage(ctx, source, c.At)
	}
	about, err := relatedTo(ctx, source, c)
	if err != nil {
		return err
	}
	p.head(c, about)
	p.tell(c, about)
	p.addFacts(c)
	p.link(c, about)
	p.addFindings(c)
	p.addDocuments(c)
	p.addVouchers(c)
	if CanTry(c) {
		p.Try = p.TryAddress(c.At.Log+p.mark, c.At.Index)
	}
	return p.addQR(ctx, source, c)
}

// maxAsked is how many questions of the gateway are read.
const maxAsked = 40

// chainOf reads the exchange of a record.
func chainOf(ctx context.Context, source *site.Source, log string, index uint64) (*story.Exchange, error) {
	return (&read.Reader{Store: source.Store, Logs: source.Logs, Most: maxAsked}).Whole(ctx, log, index)
}

// maskOf returns what hides the documents that any record of the exchange holds.
func maskOf(c *story.Exchange) *mask.Mask {
	return mask.Of(c.At.Cuit, append(append(c.Records(), c.Asker), c.Asked...)...)
}

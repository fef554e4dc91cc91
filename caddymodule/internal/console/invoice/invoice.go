package invoice

import (
	"embed"
	"net/http"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
)

//go:embed templates
var files embed.FS

//go:embed assets
var assets embed.FS

var page = site.NewPage(files, "templates/invoice.html", words)

// Add adds the page and the sheet to the site.
func Add(s *site.Site) {
	s.Assets(assets, "assets")
	const at = "/comprobante/{cuit}/{tipo}/{ptovta}/{nro}"
	s.Get(at, func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r) })
	s.Get(at+"/constancia.html", func(w http.ResponseWriter, r *http.Request) error { return download(s, w, r) })
}

// invoicePage is the page of an invoice.
type invoicePage struct {
	site.Frame
	// Voucher names the invoice, Issuer its issuer, and Address is the address of the page.
	Voucher, Issuer, Address string
	// Back is the address of the search that has led here.
	Back string
	// Class is how the state is to be looked at. State is the state in a few words, and Sentence the same with
	// the reason. Known is when it became known, or since when it is not.
	Class, State, Sentence, Known string
	// Code authorises the invoice, until Expires; empty for none.
	CodeName, Code, Expires string
	// Environment is the service that was asked, empty where nothing says so. Test is set if the invoice is not valid.
	// Mixed warns that the exchanges were with services of several environments.
	Environment, Test, Mixed string
	// Elsewhere is what stands at other services.
	Elsewhere []elsewhere
	// Intro introduces the reasons. Consequence follows from the state, Others tells of other requests.
	Intro               string
	Reasons             []string
	Consequence, Others string
	// Data are the invoice's own. DataMissing says why there are none.
	Data        *tree.Invoice
	DataMissing string
	QR          *qrcode.Drawn
	// Notes are the vouchers that the invoice names, and those that name it. NotesCut: there may be more.
	Named, Notes []note
	NotesCut     bool
	Story        []step
	// Shown is the exchange that shows the state. Sheet and Evidence are the addresses of what goes to the customer
	// and of what goes to auditors; empty for none.
	Shown, Proof, Sheet, Evidence string
	// Try is the address on which the newest refused request is corrected; empty for none, and for an invoice that
	// is authorised or may be.
	Try string
	// Absent: the trail has nothing about the invoice. TooMany: it has more than a page tells, and Command tells all.
	Absent, TooMany bool
	Command         string

	voice story.Voice
	mixed bool
}

// elsewhere is the state at another service, with the address of the exchange that shows it.
type elsewhere struct{ Text, Address string }

// note is a voucher that belongs to the invoice.
type note struct{ Name, Address, Detail string }

func newPage(s *site.Site, r *http.Request, wanted audit.Query) *invoicePage {
	p := &invoicePage{Frame: s.Frame(r, page, "search", "invoice")}
	p.Voucher = spanish.Voucher(wanted.CbteTipo) + " " + spanish.Number(wanted.PtoVta, wanted.Number)
	p.Issuer, p.Title = spanish.CUIT(wanted.Cuit), p.Voucher
	p.Address = p.InvoiceAddress(wanted.Cuit, wanted.CbteTipo, wanted.PtoVta, wanted.Number)
	p.voice.Lang = story.LangOf(p.Lang)
	p.Back, p.Text = p.Frame.Back(r)
	return p
}

// show shows the page of an invoice.
func show(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	wanted, err := queryOf(r)
	if err != nil {
		return err
	}
	p := newPage(s, r, wanted)
	status := http.StatusOK
	err = s.Read(r, "", "invoice "+flagsOf(wanted), func(sources []site.Source) error {
		sources, done := p.Tolerant(sources)
		defer done()
		found, err := findIn(r.Context(), sources, wanted, p.Masks)
		if err != nil {
			return err
		}
		switch {
		case found.tooMany:
			p.TooMany, p.Command = true, "fielato wsfev1 audit evidence "+flagsOf(wanted)
			return p.fillState(r.Context(), sources, wanted)
		case found.best == nil:
			p.Absent, status = true, http.StatusNotFound
		default:
			return p.fill(r.Context(), found)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Show(w, status, page, p)
}

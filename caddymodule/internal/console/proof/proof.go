package proof

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

//go:embed templates
var templates embed.FS

//go:embed assets
var assets embed.FS

var page = site.NewPage(templates, "templates/proof.html", words)

// Add adds the page and its downloads to the site.
func Add(s *site.Site) {
	s.Assets(assets, "assets")
	d := &downloads{Site: s, making: make(chan struct{}, maxMaking)}
	const at = "/proof/{log}/{index}"
	s.Get(at, func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r, false) })
	s.Get(at+"/proof", func(w http.ResponseWriter, r *http.Request) error { return d.proof(w, r, s.Masks(r)) })
	s.Get(at+"/checkpoint", d.checkpoint)
	s.Get(at+"/evidence", func(w http.ResponseWriter, r *http.Request) error { return d.evidence(w, r, s.Masks(r)) })
	s.Get(at+"/reveal", func(w http.ResponseWriter, r *http.Request) error { return back(s, w, r) })
	s.Get(at+"/reveal/{file}", func(w http.ResponseWriter, r *http.Request) error { return back(s, w, r) })
	s.Post(at+"/reveal", func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r, true) })
	s.Post(at+"/reveal/proof", func(w http.ResponseWriter, r *http.Request) error { return d.proof(w, r, false) })
	s.Post(at+"/reveal/evidence", func(w http.ResponseWriter, r *http.Request) error { return d.evidence(w, r, false) })
}

// back leads a reader who has reloaded or sent the address of something that was revealed to the page.
func back(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	log, mark, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	p := &proofPage{Frame: s.Frame(r, page, "search", "proof"), mark: mark}
	http.Redirect(w, r, p.addressOf(log, index), http.StatusSeeOther) //nolint:gosec // the address begins with the path of the console
	return nil
}

// doing words a reader's access to a record, for the note in the trail: revealing, or else showing.
func doing(revealed bool, log string, index uint64, revealing, showing string) string {
	if revealed {
		return "reveal " + audit.Address(log, index) + " " + revealing
	}
	return showing
}

// maxInPage bounds the text of a proof that a page carries, in bytes. A longer one is checked as a file.
const maxInPage = 4 << 20

// proofPage is the page of one record.
type proofPage struct {
	site.Frame
	// Place is the address of the record, Index its number, Address the address of the page.
	Place, Address                string
	Index                         uint64
	mark                          string // the mark of the page's source (site.LogOf)
	Heading, Outcome, Class, Code string
	// Test: the code is not valid. Testing: it is of the authority's service for tests. Answered: the service has answered. Unproven: the server itself finds no
	// proof of the page's statements.
	Test, Testing, Unproven, Answered bool
	Records                           []recordView
	Key                               string
	Checkpoint                        string
	Kept                              []keptView
	KeptUnknown                       bool
	Evidence                          *evidenceForm
	// Masked: documents of receivers are hidden here. Revealed: they would be, and the reader wanted to see
	// them. Withheld: not even the summary of a record can be given without one.
	Masked, Revealed, Withheld     bool
	Made                           string
	Data                           *pageData
	Problem, ProblemDetail, Intent string

	hide *mask.Mask // nil if documents are shown
}

// IsHiding reports whether the console hides documents, so that they are handed out by forms alone.
func (p *proofPage) IsHiding() bool { return p.Masked || p.Revealed }

// recordView is a record with what proves it.
type recordView struct {
	Title, Place string
	// Proof is the address of its page.
	Proof string
	// Server is the server's own verdict, Sound whether the proof holds, Detail the flaw.
	Server, Detail         string
	Sound, Whole, TooLarge bool
	// Withheld: the proof is not given, as its summary has a document.
	Withheld bool
	Missing  string
	Facts    []fact
	Leaf     string
	Path     []string
	// File is the name of the downloaded proof.
	File string
}

// keptView is a place where the checkpoint is kept.
type keptView struct{ Address, At, Problem string }

// show shows the page of a record.
func show(s *site.Site, w http.ResponseWriter, r *http.Request, reveal bool) error {
	return showStatus(s, w, r, http.StatusOK, reveal, "", nil)
}

// showStatus shows the page with a problem of a download, whose words have this key; empty for none.
func showStatus(s *site.Site, w http.ResponseWriter, r *http.Request, status int, reveal bool, problem string, cause error) error {
	log, mark, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	p := &proofPage{Frame: s.Frame(r, page, "search", "proof"), Place: audit.Address(log, index), Index: index, mark: mark}
	p.Address = p.addressOf(log, index)
	p.Made = p.Moment(s.Now())
	if p.Reader != "" {
		p.Made += " · " + p.T("reader") + " " + oneLine(p.Reader)
	}
	p.Masked, p.Revealed = p.Masks && !reveal, p.Masks && reveal
	err = s.Read(r, log+mark, doing(p.Revealed, log, index, "proof", "prove "+p.Place), func(sources []site.Source) error {
		return p.fill(r, &sources[0], log, index)
	})
	if err != nil {
		return err
	}
	if problem != "" {
		p.Problem, p.ProblemDetail = p.T(problem), p.detail(cause)
	}
	return s.Show(w, status, page, p)
}

func (p *proofPage) addressOf(log string, index uint64) string {
	return p.Base + "/proof/" + url.PathEscape(log+p.mark) + "/" + strconv.FormatUint(index, 10)
}

// fill fills the page. Where it is masked, contents, which quote documents of receivers, stay here.
func (p *proofPage) fill(r *http.Request, source *site.Source, log string, index uint64) error {
	source, err := source.Proving(r.Context(), log, index)
	if err != nil {
		return err
	}
	f, err := find(r.Context(), source, log, index)
	if err != nil {
		return err
	}
	if p.Masked {
		p.hide = maskOf(r.Context(), source, f.record)
	}
	p.Key, p.Checkpoint = f.key, string(f.parts.Checkpoint)
	p.Data = &pageData{Log: log, Key: f.key, Words: p.scriptWords(), Proofs: []proofData{}}
	if err := p.head(r, source, f); err != nil {
		return err
	}
	p.addRecord(f, p.T("record"))
	if err := p.addIntent(r, source, f); err != nil {
		return err
	}
	p.addKept(r, source)
	p.Evidence = evidenceFormOf(f.record)
	return nil
}

// head sets the heading, the title and the verdict of the page.
func (p *proofPage) head(r *http.Request, source *site.Source, f *found) (err error) {
	p.Unproven = f.flaw != nil
	if p.Heading = p.T("record"); f.record == nil {
		return nil
	}
	record := f.record
	if p.Heading = site.MaskedVouchersOf(record, p.hide); p.Heading == "" {
		p.Heading = p.T("kind." + record.Kind.String())
	}
	p.Title = p.T("proof") + ": " + p.Heading
	p.Outcome, p.Class, p.Code = p.Voice().Outcome(record), story.ClassOf(record), p.hide.Code(story.FirstCode(record))
	p.Answered = record.Certainty == audit.Answered
	p.Testing = environment.Of(record) == environment.Testing
	if p.Test = story.IsBuiltIn(record); !p.Test && story.FirstCode(record) != "" {
		p.Test, err = evidence.IsTestCode(r.Context(), source.Store, record)
	}
	return err
}

// addIntent adds the record of the request, which an outcome does not hold. One of another log, which is
// signed by another key, has a page of its own.
func (p *proofPage) addIntent(r *http.Request, source *site.Source, f *found) error {
	record := f.record
	if record == nil || record.Kind != audit.KindOutcome && record.Kind != audit.KindSettlement {
		return nil
	}
	if record.IntentLog != "" && record.IntentLog != f.log {
		p.Intent = p.addressOf(record.IntentLog, record.Intent)
		return nil
	}
	intent, err := find(r.Context(), source, f.log, record.Intent)
	switch {
	case isFlaw(err):
		p.Records = append(p.Records, recordView{
			Title: p.T("intent"), Place: audit.Address(f.log, record.Intent), Server: p.T("flaw.missing"), Detail: fmt.Sprint(err),
		})
		p.Data.Incomplete = true
		return nil
	case err != nil:
		return err
	}
	p.addRecord(intent, p.T("intent"))
	return nil
}

// addRecord adds a record with its proof, as far as it is known.
func (p *proofPage) addRecord(f *found, title string) {
	v := recordView{
		Title: title, Place: audit.Address(f.log, f.index), Server: p.T(f.flawKey()), Sound: f.flaw == nil, Whole: f.whole,
		Proof: p.addressOf(f.log, f.index), File: fileName(f.log, f.index) + ".tlog-proof",
	}
	if f.flaw != nil {
		v.Detail = p.detail(f.flaw)
	}
	if f.record != nil {
		v.Facts = p.factsOf(f.record, len(p.Records) > 0)
	}
	if len(f.parts.Form.Summary) > 0 {
		v.Leaf = printable.Digest(f.parts.Form.Leaf())
		switch f.parts.Form.Presence {
		case audit.Purged:
			v.Missing = p.T("purged")
		case audit.Sealed:
			v.Missing = p.T("sealed")
		}
	}
	for _, hash := range f.parts.Hashes {
		v.Path = append(v.Path, printable.Digest(hash))
	}
	switch {
	case !f.whole:
		p.Data.Incomplete = true
	case p.hide.InSummary(f.record):
		p.Withheld, p.Data.TooLarge, v.Withheld = true, true, true
	default:
		v.TooLarge = !p.Data.add(f, p.Masked)
	}
	p.Records = append(p.Records, v)
}

// addKept adds where the checkpoints are kept.
func (p *proofPage) addKept(r *http.Request, source *site.Source) {
	if source.Kept == nil {
		p.KeptUnknown = true
		return
	}
	for _, at := range source.Kept(r.Context()) {
		p.Kept = append(p.Kept, p.keptOf(at))
	}
}

func (p *proofPage) keptOf(shown checkpoint.ShownDestination) keptView {
	v := keptView{Address: oneLine(shown.Address), Problem: oneLine(shown.Problem)}
	if at, err := time.Parse(time.RFC3339, shown.At); err == nil {
		v.At = p.Moment(at)
	}
	return v
}

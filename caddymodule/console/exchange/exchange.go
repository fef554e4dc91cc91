package exchange

import (
	"embed"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/console/site"
	"github.com/fielato/fielato/caddymodule/spanish"
)

//go:embed templates
var files embed.FS

var page = site.NewPage(files, "templates/exchange.html", words)

// Add adds the page to the site.
func Add(s *site.Site) {
	s.Get("/exchange/{log}/{index}", func(w http.ResponseWriter, r *http.Request) error { return show(s, w, r) })
}

// exchangePage is one exchange: what happened, and its documents.
type exchangePage struct {
	site.Frame
	Heading, Outcome, Class, Code string
	Story                         []event
	Facts                         []fact
	Findings                      []finding
	Documents                     []document
}

// event is a step of the story.
type event struct{ When, Machine, Text, Class, Record string }

// fact is a line of what is known.
type fact struct{ Name, Value string }

// finding is what the gateway found.
type finding struct{ Code, Action, Text, Place, Expected, Got, Tolerance string }

// document is a body of the exchange. Text is empty if it is not kept, and Missing says why.
type document struct {
	Name, Text, Missing, Digest string
	Bytes                       int64
}

// show shows the exchange of a record.
func show(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	log := r.PathValue("log")
	index, err := strconv.ParseUint(r.PathValue("index"), 10, 64)
	if err != nil {
		return site.ErrNotFound
	}
	p := &exchangePage{Frame: s.Frame(r, page, "search", "exchange")}
	err = s.Read(r, log, "show "+log+"/"+strconv.FormatUint(index, 10), func(sources []site.Source) error {
		x, err := sources[0].ExchangeAt(r.Context(), log, index)
		if err == nil {
			p.fill(x)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.Show(w, http.StatusOK, page, p)
}

func (p *exchangePage) fill(x *site.Exchange) {
	record, request := x.Record, x.Request()
	p.Heading, p.Outcome, p.Class, p.Code = site.VouchersOf(record), p.OutcomeOf(record), site.ClassOf(record), site.CodeOf(record)
	p.Title = p.Heading
	p.tell(record, x.Intent)
	p.addFacts(record)
	for i := range record.Findings {
		p.Findings = append(p.Findings, p.findingOf(&record.Findings[i]))
	}
	p.Documents = append(p.Documents,
		p.documentOf(p.T("request"), request.Request, request.RequestLength, request.RequestDigest, request.Presence),
		p.documentOf(p.T("answer"), record.Answer, record.AnswerLength, record.AnswerDigest, record.Presence))
}

// tell tells the story in the order in which it happened.
func (p *exchangePage) tell(record, intent *audit.Record) {
	add := func(at time.Time, key, class, address string) {
		p.Story = append(p.Story, event{p.Moment(at), at.UTC().Format(time.RFC3339Nano), p.T("story." + key), class, address})
	}
	began, ended := record.Time, record.Time.Add(record.Duration)
	add(began, "received", "", "")
	if intent != nil {
		add(intent.Time, "intent", "", intent.Log+"/"+strconv.FormatUint(intent.Index, 10))
	}
	switch {
	case record.Kind == audit.KindIntent:
		add(began, "open", "open", "")
		return
	case record.Certainty == audit.NotSent && record.Decision == "refuse":
		add(ended, "refused", "bad", "")
	case record.Certainty == audit.NotSent:
		add(ended, "not_sent", "", "")
	default:
		add(began, "sent", "", "")
		if record.Certainty == audit.Unknown {
			add(ended, "silence", "open", "")
		} else {
			add(ended, "answered", site.ClassOf(record), "")
		}
	}
	add(ended, "replied", "", "")
}

func (p *exchangePage) addFacts(r *audit.Record) {
	for _, f := range []fact{
		{p.T("issuer"), site.IssuerOf(r)},
		{p.T("operation"), r.Operation},
		{p.T("certainty"), p.T("certainty." + string(r.Certainty))},
		{p.T("client"), strings.TrimSpace(r.ClientAddress + " " + r.ClientIdentity)},
		{p.T("upstream"), r.Upstream},
		{p.T("duration"), spanish.Duration(r.Duration)},
		{p.T("record"), r.Log + "/" + strconv.FormatUint(r.Index, 10)},
		{p.T("exchange"), r.ID},
	} {
		if f.Value != "" {
			p.Facts = append(p.Facts, f)
		}
	}
}

func (p *exchangePage) findingOf(f *audit.Finding) finding {
	return finding{
		Code: f.Code, Action: p.T("action." + f.Action), Text: strings.TrimPrefix(f.Text, f.Code+": "), Place: f.Pointer,
		Expected: f.Expected, Got: f.Got, Tolerance: f.Tolerance,
	}
}

// documentOf returns a body, indented.
func (p *exchangePage) documentOf(name string, body []byte, length int64, digest [32]byte, presence audit.Presence) document {
	d := document{Name: name, Bytes: length, Digest: hex.EncodeToString(digest[:]), Missing: p.T("not_kept")}
	switch presence {
	case audit.Purged:
		d.Missing = p.T("purged")
	case audit.Sealed:
		d.Missing = p.T("sealed")
	}
	if len(body) == 0 {
		return d
	}
	text := jsontext.Value(body).Clone()
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		text = jsontext.Value(body)
	}
	d.Text = string(text)
	return d
}

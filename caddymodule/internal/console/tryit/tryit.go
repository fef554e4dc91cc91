package tryit

import (
	"embed"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/exchange"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed templates
var files embed.FS

//go:embed assets
var assets embed.FS

var page = site.NewPage(files, "templates/try.html", words)

// tryPage judges requests for the readers of a site.
type tryPage struct {
	site *site.Site
	// room bounds how many are judged at a time: it is the processor of the gateway.
	room     *limit.Limit
	redactor *mask.Redactor
}

// patience is how long a reader waits for room.
const patience = 5 * time.Second

// Add adds the page to the site.
func Add(s *site.Site) {
	t := &tryPage{site: s, room: limit.NewLimit(max(1, runtime.GOMAXPROCS(0)/2)), redactor: forms.NewRedactor()}
	s.Assets(assets, "assets")
	s.Get("/try", func(w http.ResponseWriter, r *http.Request) error {
		shown, err := t.newShown(r, choice{gateway: r.URL.Query().Get("gateway")})
		if err != nil {
			return err
		}
		if err = t.loadExample(r, shown); err != nil {
			return err
		}
		return s.Show(w, http.StatusOK, page, shown)
	})
	s.Get("/try/template.csv", serveTemplate)
	t.addOpen()
	s.Post("/try", t.postForm)
	s.Post("/try/judge", t.inJSON(t.judgeOne))
	s.Post("/try/judge-lines", t.inJSON(t.judgeLines))
}

// choice is what a reader has chosen, as the form has it.
type choice struct{ operation, date, gateway string }

// shown is the page's data.
type shown struct {
	site.Frame
	Books      []site.Book
	Book       site.Book
	Operations []string
	Columns    []string
	// Operation and Date are what was chosen, Today is the date without a choice.
	Operation, Date string
	// Opened is the request of a record that was opened, nil for none, and Address the address that opens it.
	Opened  *exchange.Request
	Address string
	// Document stands in the box.
	Document string
	// Verdict is the verdict on one request, Table the verdicts on several; both nil before.
	Verdict *verdict
	Table   *table
	// Problem is what keeps the file from being judged.
	Problem string
}

func (t *tryPage) newShown(r *http.Request, chosen choice) (*shown, error) {
	p := &shown{Frame: t.site.Frame(r, page, "try", "try.title"), Operation: chosen.operation, Date: chosen.date, Columns: columnNames()}
	p.Books = t.site.Books(&p.Frame)
	var err error
	if p.Book, err = t.site.BookOf(&p.Frame, chosen.gateway); err != nil {
		return nil, err
	}
	for _, op := range wsfev1.Operations {
		if p.Book.Contract.Operation(op.Name) != nil {
			p.Operations = append(p.Operations, op.Name)
		}
	}
	if p.Date == "" {
		p.Date = t.site.Moment(p.Book).In(wsfev1.Argentina).Format(time.DateOnly)
	}
	return p, nil
}

// defaultOperation is the operation of a document in JSON whose members do not show one.
const defaultOperation = "FECAESolicitar"

// newJudge returns the judge of what was chosen.
func (t *tryPage) newJudge(p *shown) (*documents.Judge, error) {
	j := &documents.Judge{
		Redactor: t.redactor, Book: p.Book.Book, Option: p.T("try.option"),
		Fallback: wsfev1.OperationByName(defaultOperation),
	}
	if p.Operation != "" {
		if j.Operation = j.Book.Contract.Operation(p.Operation); j.Operation == nil {
			return nil, fmt.Errorf("%w: there is no such operation", site.ErrBadRequest)
		}
	}
	now := t.site.Moment(p.Book)
	if p.Date != now.In(wsfev1.Argentina).Format(time.DateOnly) {
		day, err := time.ParseInLocation(time.DateOnly, p.Date, wsfev1.Argentina)
		if err != nil || day.Year() < 2000 || day.Year() > 2100 {
			return nil, fmt.Errorf("%w: the date is none", site.ErrBadRequest)
		}
		now = day.Add(12 * time.Hour)
	}
	j.Now = func() time.Time { return now }
	return j, nil
}

// enter waits for room to judge.
func (t *tryPage) enter(r *http.Request) (leave func(), err error) {
	if leave, err = t.room.Enter(r.Context(), patience); err != nil {
		return nil, fmt.Errorf("%w: %w", site.ErrBusy, err)
	}
	return leave, nil
}

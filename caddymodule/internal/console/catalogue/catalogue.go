package catalogue

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed templates
var files embed.FS

//go:embed assets
var assets embed.FS

var listPage = site.NewPage(files, "templates/rules.html", words)

// Add adds the pages to the site.
func Add(s *site.Site) {
	s.Assets(assets, "assets")
	s.Get("/rules", func(w http.ResponseWriter, r *http.Request) error { return showList(s, w, r) })
	s.Get("/rules/{code}", func(w http.ResponseWriter, r *http.Request) error { return showRule(s, w, r) })
}

// pageRows is how many rules a page has.
const pageRows = 100

// list is the page of all rules, or of those that a search has found.
type list struct {
	site.Frame
	Books []site.Book
	Book  site.Book
	// Query is the text of the search, Level the only level shown, Sort is found or empty.
	Query, Level, Sort string
	Levels             []string
	Rows               []row
	Found              int
	// Counted: something counts findings.
	Counted bool
	// More is the address of the next page. ByCode and ByFound are its addresses in another order.
	More, ByCode, ByFound string
}

// row is a rule in the list.
type row struct {
	Code                          int32
	Address, Text                 string
	Level, Class, Origin, InForce string
	Basis, Findings, Agreement    string
	order                         uint64
}

// levels are the levels that the list can be narrowed to. service are the rules that the service alone
// decides.
var levels = []string{"enforce", "observe", "off", "service"}

// maxQuery bounds the text of a search, in bytes.
const maxQuery = 200

func showList(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	p := &list{Frame: s.Frame(r, listPage, "rules", "rules.title"), Query: strings.TrimSpace(query.Get("q")), Level: query.Get("level"), Sort: query.Get("sort"), Levels: levels}
	p.Query = strings.ToValidUTF8(p.Query[:min(len(p.Query), maxQuery)], "")
	p.Books = s.Books(&p.Frame)
	var err error
	if p.Book, err = s.BookOf(&p.Frame, query.Get("gateway")); err != nil {
		return err
	}
	today := wsfev1.DateOf(s.Moment(p.Book))
	var rows []row
	for _, rule := range search(p.Query) {
		counts, counted := p.Counts(rule.Code)
		p.Counted = p.Counted || counted
		made := p.rowOf(&rule, today, counts)
		if p.Level == "" || p.Level == made.Level || p.Level == "service" && made.Level == "" {
			rows = append(rows, made)
		}
	}
	if p.Sort == "found" {
		slices.SortStableFunc(rows, func(a, b row) int { return int(min(b.order, 1<<31)) - int(min(a.order, 1<<31)) })
	}
	from, _ := strconv.Atoi(query.Get("from")) // 0 if it is not a number
	from = max(0, min(from, len(rows)))
	to := min(from+pageRows, len(rows))
	p.Found, p.Rows = len(rows), rows[from:to]
	if to < len(rows) {
		p.More = p.address(p.Sort, to)
	}
	p.ByCode, p.ByFound = p.address("", 0), p.address("found", 0)
	return s.Show(w, http.StatusOK, listPage, p)
}

// address returns the address of the same search in an order, from a row on.
func (p *list) address(sort string, from int) string {
	query := url.Values{}
	for name, value := range map[string]string{"q": p.Query, "level": p.Level, "sort": sort} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if p.Book.Number > 1 {
		query.Set("gateway", strconv.Itoa(p.Book.Number))
	}
	if from > 0 {
		query.Set("from", strconv.Itoa(from))
	}
	if len(query) == 0 {
		return p.Base + "/rules"
	}
	return p.Base + "/rules?" + query.Encode()
}

func (p *list) rowOf(rule *rules.Rule, today wsfev1.Date, counts rulebook.Counts) row {
	level, origin := p.Book.LevelOf(rule)
	made := row{
		Code: rule.Code, Address: p.Base + "/rules/" + strconv.Itoa(int(rule.Code)), Text: textOf(&p.Frame, rule),
		Level: string(level), Class: classOf(level), Origin: p.T("origin." + string(origin)), InForce: inForce(&p.Frame, rule, today, p.Book.IsNamed(rule.Code)),
		Basis: p.T("basis." + string(rule.Sources[0].Basis)), Agreement: agreementOf(&p.Frame, counts),
	}
	if p.Book.Number > 1 {
		made.Address += "?gateway=" + strconv.Itoa(p.Book.Number)
	}
	if made.order = counts.Refused + counts.Observed; rule.DecidedAt == rules.State {
		made.order = counts.Service
	}
	if made.order > 0 {
		made.Findings = strconv.FormatUint(made.order, 10)
	}
	return made
}

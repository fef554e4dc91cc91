package witnesscmd

import (
	"embed"
	"net/http"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

//go:embed templates
var templates embed.FS

var logsPage = site.NewPage(templates, "templates/logs.html", words)

// page is the page for people.
type page struct {
	site.Frame
	Key  string
	Logs []row
}

// row is a log.
type row struct {
	Origin, Address, Size, Root, Moment, Machine, Age string
	// Signed: a checkpoint of the log was cosigned.
	Signed bool
	// All and Proven count the evidence against the log, and how much of it proves something.
	All, Proven int
}

func (s *handler) servePage(w http.ResponseWriter, r *http.Request) {
	site.SetSecurityHeaders(w.Header())
	s.site.ServeHTTP(w, r)
}

// showLogs shows the newest signature for each log.
func (s *handler) showLogs(w http.ResponseWriter, r *http.Request) error {
	p := page{Frame: s.site.Frame(r, logsPage, "", "title"), Key: s.key.String()}
	for _, origin := range s.witness.Origins() {
		p.Logs = append(p.Logs, s.row(&p.Frame, origin))
	}
	return s.site.Show(w, http.StatusOK, logsPage, &p)
}

func (s *handler) row(f *site.Frame, origin string) row {
	one := row{Origin: origin, Address: checkpointPath(origin)}
	one.All, one.Proven = s.files.Evidence(origin)
	head, signed := s.files.Head(origin)
	if !signed {
		return one
	}
	one.Signed, one.Size, one.Root = true, f.Count(int64(head.Size)), head.Root.String()
	one.Moment, one.Machine = f.Moment(head.Time), head.Time.UTC().Format(time.RFC3339)
	one.Age = f.T("age.now")
	if age := s.now().Sub(head.Time); age >= time.Minute {
		one.Age = strings.TrimSuffix(f.Voice().Duration(age.Truncate(time.Minute)), "0s")
	}
	return one
}

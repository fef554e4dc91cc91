package tryit

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/forms"
)

// postForm answers the form with a page, or with the table as a file.
func (t *tryPage) postForm(w http.ResponseWriter, r *http.Request) error {
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	p, err := t.newShown(r, f.choice)
	if err != nil {
		return err
	}
	kind := kindOf(f.document)
	switch {
	case kind != kindOne || f.download:
		if p.Table, err = t.table(r, p, kind, f.document, 1); err != nil {
			return err
		}
		if p.Problem = p.Table.Problem; f.download && p.Problem == "" {
			return p.Table.download(w)
		}
	default:
		if p.Verdict, err = t.verdict(r, p, f.document, f.use); err != nil {
			return err
		}
		p.Document = p.Verdict.document
	}
	return t.site.Show(w, http.StatusOK, page, p)
}

// judgeOne judges one document.
func (t *tryPage) judgeOne(r *http.Request, f *form) (any, error) {
	p, err := t.newShown(r, f.choice)
	if err != nil {
		return nil, err
	}
	return t.verdict(r, p, f.document, f.use)
}

// verdict judges one document. use is the key of an offer to be used first, empty for none.
func (t *tryPage) verdict(r *http.Request, p *shown, document []byte, use string) (*verdict, error) {
	j, err := t.newJudge(p)
	if err != nil {
		return nil, err
	}
	leave, err := t.enter(r)
	if err != nil {
		return nil, err
	}
	defer leave()
	if len(bytes.Trim(document, forms.Blanks)) == 0 {
		return p.nothing(), nil
	}
	one := newTried(j, document)
	if use != "" {
		one = p.use(r.Context(), one, use)
	}
	one.result.LocateIn(one.text)
	return p.verdictOf(one)
}

// inJSON answers the script. A problem is in JSON too, in the reader's words.
func (t *tryPage) inJSON(answer func(*http.Request, *form) (any, error)) site.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		f, err := readBody(w, r)
		var made any
		if err == nil {
			made, err = answer(r, f)
		}
		status := http.StatusOK
		if err != nil {
			var key string
			if key, status = problemOf(err); key == "" || r.Context().Err() != nil {
				return err
			}
			frame := t.site.Frame(r, page, "try", "try.title")
			made = map[string]string{"problem": frame.T("problem." + key + ".text")}
			w.Header().Set("Retry-After", "5")
		}
		text, err := json.Marshal(made)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		w.WriteHeader(status)
		_, _ = w.Write(text) // a reader who has left gets nothing
		return nil
	}
}

// problemOf returns the words for an error, and its status; no words for the console's own failures.
func problemOf(err error) (key string, status int) {
	switch {
	case errors.Is(err, site.ErrTooLarge):
		return "too_large", http.StatusRequestEntityTooLarge
	case errors.Is(err, site.ErrBusy):
		return "busy", http.StatusServiceUnavailable
	case errors.Is(err, site.ErrBadRequest):
		return "bad_request", http.StatusBadRequest
	}
	return "", 0
}

package tryit

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

const (
	// maxDocument bounds the document to judge, in bytes. It is the default of a gateway's own bound.
	maxDocument = 4 << 20
	// maxField bounds the other fields of the form.
	maxField = 256
)

// form is the content of the page's form. It is never on disk: http.Request.ParseMultipartForm would put a
// large file there, with the credentials in it.
type form struct {
	choice
	document []byte
	// use is the key of an offer to be used, or useAll; empty for none.
	use string
	// download: the table is wanted as a file.
	download bool
}

// readForm reads a form in memory. A file counts more than what stands in the box.
func readForm(w http.ResponseWriter, r *http.Request) (*form, error) {
	r.Body = http.MaxBytesReader(w, r.Body, 2*maxDocument)
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", site.ErrBadRequest, err)
	}
	f := new(form)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		if err != nil {
			return nil, unreadable(err)
		}
		limit := maxField
		if name := part.FormName(); name == "document" || name == "file" {
			limit = maxDocument
		}
		value, err := readAll(part, limit)
		if err != nil {
			return nil, err
		}
		f.set(part.FormName(), value)
	}
}

func (f *form) set(name string, value []byte) {
	switch name {
	case "document":
		if f.document == nil {
			f.document = value
		}
	case "file":
		if len(value) > 0 {
			f.document = value
		}
	case "operation":
		f.operation = string(value)
	case "date":
		f.date = string(value)
	case "gateway":
		f.gateway = string(value)
	case "use":
		f.use = string(value)
	case "as":
		f.download = string(value) == "csv"
	}
}

// readBody reads what a script has sent: the document as it is, and the choice in the address.
func readBody(w http.ResponseWriter, r *http.Request) (*form, error) {
	query := r.URL.Query()
	f := &form{choice: choice{query.Get("operation"), query.Get("date"), query.Get("gateway")}, use: query.Get("use")}
	var err error
	f.document, err = readAll(http.MaxBytesReader(w, r.Body, maxDocument+1), maxDocument)
	return f, err
}

func readAll(r io.Reader, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, unreadable(err)
	case len(body) > limit:
		return nil, site.ErrTooLarge
	}
	return body, nil
}

func unreadable(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return site.ErrTooLarge
	}
	return fmt.Errorf("%w: %w", site.ErrBadRequest, err)
}

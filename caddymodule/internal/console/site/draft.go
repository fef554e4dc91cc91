package site

import (
	"bytes"
	"net/http"
)

// Draft is a page that is sent in two parts: the reader sees its beginning while the rest is looked
// for.
type Draft struct {
	w     http.ResponseWriter
	made  bytes.Buffer
	begun bool
}

// NewDraft returns a page to be sent to w.
func NewDraft(w http.ResponseWriter) *Draft { return &Draft{w: w} }

// Make makes the page. A method of data that the template calls may call Begin. After an error, Begun says
// whether there is still an answer to be given.
func (d *Draft) Make(page *Page, data any) error {
	return page.content.ExecuteTemplate(&d.made, "frame", data)
}

// Begin sends what has been made so far. Whatever fails from then on is said in the page.
func (d *Draft) Begin() {
	d.Send()
	_ = http.NewResponseController(d.w).Flush() // one that cannot flush sends all at the end
}

// Begun reports whether the status is sent.
func (d *Draft) Begun() bool { return d.begun }

// Send sends what has been made since Begin.
func (d *Draft) Send() {
	if !d.begun {
		d.begun = true
		setPageHeaders(d.w.Header())
		d.w.WriteHeader(http.StatusOK)
	}
	_, _ = d.w.Write(d.made.Bytes()) // a reader who has left gets nothing
	d.made.Reset()
}

func setPageHeaders(header http.Header) {
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Add("Vary", "Accept-Language")
}

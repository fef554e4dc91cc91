package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/story"
)

//go:embed templates
var templateFiles embed.FS

// Page is a template within the frame, with its words.
type Page struct {
	content *template.Template
	words   Words
}

// NewPage reads the template of a page from an embedded file, which defines "page", and may define
// "head" with scripts and styles. It may use "figures" with a tree.Invoice, "qr" with a page whose QR is a qrcode.Drawn, and "pieces" with Frame.Pieces. It panics if the file is wrong: tests see
// that.
func NewPage(files fs.FS, name string, words Words) *Page {
	content := template.Must(template.ParseFS(templateFiles, "templates/frame.html", "templates/figures.html", "templates/pieces.html"))
	return &Page{template.Must(content.ParseFS(files, name)), words}
}

// Frame is what every page has. A page's data embeds it.
type Frame struct {
	// Base is the path of the console, without a slash at its end. Lang is the language, es or en.
	Base, Lang string
	// Title is the title of the page, Text the text in the search box, and Reader who reads.
	Title, Text, Reader string
	// Section is the part of the navigation that the page belongs to.
	Section string
	// Masks: documents of receivers are hidden from the reader.
	Masks bool
	// Damaged: the page may lack something, as it met records that cannot be read.
	Damaged bool

	scope Scope
	site  *Site
	page  *Page
}

// T returns the words for a key in the language of the page; empty if it has none.
func (f *Frame) T(key string) string {
	if f.page != nil {
		if word, ok := f.page.words[key]; ok {
			return word.In(story.LangOf(f.Lang))
		}
	}
	return f.Common(key)
}

// Plural returns the words for a number: by the key with .one behind it for one, else with .many.
func (f *Frame) Plural(n int, key string) string {
	if n == 1 {
		return f.T(key + ".one")
	}
	return f.T(key + ".many")
}

// Common returns the words for a key as they are on every page, the frame's own first. A page may use the same
// key for words of its own.
func (f *Frame) Common(key string) string {
	lang := story.LangOf(f.Lang)
	for _, words := range []Words{frameWords, sharedWords} {
		if word, ok := words[key]; ok {
			return word.In(lang)
		}
	}
	return lang.T(key)
}

// Section is a part of the navigation.
type Section struct {
	Name, Address string
	Current       bool
}

// Bound names the issuers whose records the reader may see, empty for all.
func (f *Frame) Bound() string {
	switch n := len(f.scope.cuits); {
	case f.scope.all || n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf(f.Common("bound.one"), f.scope.names())
	case n > maxNamed:
		return fmt.Sprintf(f.Common("bound.more"), f.scope.names(), n-maxNamed)
	default:
		return fmt.Sprintf(f.Common("bound.many"), f.scope.names())
	}
}

// IsBound reports whether the reader may see only some records.
func (f *Frame) IsBound() bool { return !f.scope.all }

// Sections returns the navigation.
func (f *Frame) Sections() (all []Section) {
	for _, name := range []string{"today", "search", "month", "try", "rules", "outages", "readings"} {
		if name == "outages" && f.IsBound() {
			continue // they are about no issuer
		}
		address := f.Base + "/" + name
		if name == "today" {
			address = f.Base + "/"
		}
		all = append(all, Section{f.Common("nav." + name), address, f.Section == name})
	}
	return all
}

// Asset returns the address of a script or a style by the name of its file.
func (f *Frame) Asset(name string) string { return f.site.names[name] }

// Frame returns the frame of a page. title is a key of its words.
func (s *Site) Frame(r *http.Request, page *Page, section, title string) Frame {
	f := Frame{
		Base: s.Base, Lang: languageOf(r), Reader: ReaderOf(r), Section: section, Masks: s.Masks(r),
		scope: s.Scope(r), site: s, page: page,
	}
	f.Title = f.T(title)
	return f
}

// Show writes a page. It is made whole before it is sent, so that a page is never half an error.
func (s *Site) Show(w http.ResponseWriter, status int, page *Page, data any) error {
	var made bytes.Buffer
	err := s.share.within(page != problem, func() error { return page.content.ExecuteTemplate(&made, "frame", data) })
	if err != nil {
		return err
	}
	setPageHeaders(w.Header())
	w.Header().Set("Content-Length", strconv.Itoa(made.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(made.Bytes()) // a reader who has left gets nothing
	return nil
}

// problemPage says why there is no page.
type problemPage struct {
	Frame
	Explanation string
}

var problem = NewPage(templateFiles, "templates/problem.html", nil)

// ShowProblem shows why there is no page. key is the part of the words behind "problem.".
func (s *Site) ShowProblem(w http.ResponseWriter, r *http.Request, status int, key string) {
	p := problemPage{Frame: s.Frame(r, problem, "", "problem."+key)}
	p.Explanation = p.T("problem." + key + ".text")
	w.Header().Set("Cache-Control", "no-store")
	dropHeaders(w.Header())
	if err := s.Show(w, status, problem, &p); err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// dropHeaders takes out what an answer that is not given has set already.
func dropHeaders(header http.Header) {
	for _, name := range []string{"Content-Disposition", "Content-Encoding", "ETag", "Last-Modified"} {
		header.Del(name)
	}
}

package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/story"
)

// strangerStyle stands in the page: the files of the console are not for strangers, and their addresses would tell which
// build it is.
const strangerStyle = `:root { color-scheme: light dark; }
body { margin: 0; background: #fff; color: #373c44; font: 100%/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 18vh auto 0; padding: 0 1rem; }
h1 { margin: 0 0 .6rem; padding-bottom: .5rem; border-bottom: 2px solid #0172ad; font-size: 1.6rem; color: #2d3138; }
p { margin: 0; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { background: #13171f; color: #c2c7d0; } h1 { color: #e0e3e7; border-color: #01aaff; } }
`

var (
	strangerTemplate = template.Must(template.ParseFS(templateFiles, "templates/stranger.html"))
	strangerPolicy   = "default-src 'none'; style-src 'sha256-" + digestOf(strangerStyle) + "'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)

func digestOf(text string) string {
	digest := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(digest[:])
}

// strangerPage is what somebody sees who may see nothing.
type strangerPage struct {
	Lang, Title, Explanation string
	Style                    template.CSS
}

// ShowStranger answers somebody who may see nothing. The answer has the same bytes whatever was asked for, also if that
// does not exist, and names nobody: only the language is the reader's.
func (*Site) ShowStranger(w http.ResponseWriter, r *http.Request) {
	lang := languageOf(r)
	word := func(key string) string { return frameWords[key].In(story.LangOf(lang)) }
	p := strangerPage{Lang: lang, Title: word("stranger"), Explanation: word("stranger.text"), Style: strangerStyle}
	var made bytes.Buffer
	if err := strangerTemplate.Execute(&made, &p); err != nil {
		http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
		return
	}
	header := w.Header()
	dropHeaders(header)
	SetSecurityHeaders(header)
	header.Set("Content-Security-Policy", strangerPolicy)
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(made.Len()))
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write(made.Bytes()) // who has left gets nothing
}

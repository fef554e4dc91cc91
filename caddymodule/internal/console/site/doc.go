// Package site has the parts that the pages of the console share: the frame, the words in two languages,
// the files of scripts and styles, the open trails, and the record of who reads.
//
// A page is a template of its own room. It embeds Frame, and its words stand beside it:
//
//	var page = site.NewPage(files, "templates/search.html", words)
//
//	func show(s *site.Site) site.Handler {
//		return func(w http.ResponseWriter, r *http.Request) error {
//			p := searchPage{Frame: s.Frame(r, page, "search.title")}
//			…
//			return s.Show(w, http.StatusOK, page, &p)
//		}
//	}
//
// Whatever a record quotes is hostile text. Templates escape it; no handler writes HTML itself.
package site

package exchange

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// download gives a body as it is kept, as a file. With mask it is without the documents of receivers, unless
// the reader reveals them.
func download(s *site.Site, w http.ResponseWriter, r *http.Request, reveal bool) error {
	log, mark, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	part := r.PathValue("part")
	masks := s.Masks(r)
	masked := masks && !reveal
	var content []byte
	var name, charset string
	err = s.Read(r, log+mark, doing(masks && reveal, log, index)+" "+part, func(sources []site.Source) error {
		c, err := chainOf(r.Context(), &sources[0], log, index)
		if err != nil {
			return err
		}
		b := c.Document(part)
		if b == nil || len(b.Kept) == 0 {
			return site.ErrNotFound
		}
		content, charset, name = b.Kept, "utf-8", part+".json"
		if b.IsXML() {
			charset, name = b.Charset, part+".xml"
		}
		if !masked {
			return nil
		}
		shown, ok := hidden(b, maskOf(c))
		if !ok {
			return site.ErrNotFound
		}
		content, charset = shown, "utf-8"
		return nil
	})
	if err != nil {
		return err
	}
	send(w, content, charset, fileName(log, index)+"-"+name)
	return nil
}

// send writes a file. What it holds is hostile: no browser may take it for a page.
func send(w http.ResponseWriter, content []byte, charset, name string) {
	media := "text/plain"
	if charset != "" {
		media = mime.FormatMediaType(media, map[string]string{"charset": charset})
	}
	header := w.Header()
	if media == "" {
		media = "application/octet-stream"
	}
	header.Set("Content-Type", media)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	header.Set("Content-Length", strconv.Itoa(len(content)))
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(content) // a reader who has left gets nothing
}

// fileName returns a record's address as a part of a file's name.
func fileName(log string, index uint64) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, log)
	return plain + "-" + strconv.FormatUint(index, 10)
}

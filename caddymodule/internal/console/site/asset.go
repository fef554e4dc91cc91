package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
)

// assetFiles are the scripts and styles of the frame, and the files of others, which are listed beside
// them.
//
//go:embed assets
var assetFiles embed.FS

// asset is a file of the console.
type asset struct {
	name    string
	content []byte
	// zipped is the content compressed with gzip; nil if that makes it no smaller. Caddy's encode stands
	// behind the console, and the largest files are the same for everybody.
	zipped []byte
}

func newAsset(name string, content []byte) asset {
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level exists
	_, _ = w.Write(content)                                    // into memory
	_ = w.Close()
	a := asset{name: name, content: content}
	if zipped.Len() < len(content) {
		a.zipped = zipped.Bytes()
	}
	return a
}

// Assets serves the files of a folder, and of those below it, by their last names. The address of a file
// has a part of its digest, so that a browser may keep it for ever.
func (s *Site) Assets(files fs.FS, folder string) {
	err := fs.WalkDir(files, folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, at)
		if err != nil {
			return err
		}
		digest := sha256.Sum256(content)
		name, extension := path.Base(at), path.Ext(at)
		address := strings.TrimSuffix(name, extension) + "-" + hex.EncodeToString(digest[:6]) + extension
		s.assets[address], s.names[name] = newAsset(name, content), s.Base+"/assets/"+address
		return nil
	})
	if err != nil {
		panic(err) // the files are in the binary
	}
}

func (s *Site) serveAsset(w http.ResponseWriter, r *http.Request) error {
	file, ok := s.assets[r.PathValue("name")]
	if !ok {
		return ErrNotFound
	}
	header := w.Header()
	header.Set("Cache-Control", "private, max-age=31536000, immutable")
	header.Add("Vary", "Accept-Encoding")
	content := file.content
	if file.zipped != nil && takesGzip(r) {
		content = file.zipped
		header.Set("Content-Encoding", "gzip")
		header.Set("Content-Length", strconv.Itoa(len(content))) // http.ServeContent leaves it out beside an encoding
	}
	http.ServeContent(w, r, file.name, time.Time{}, bytes.NewReader(content))
	return nil
}

// takesGzip reports whether the browser understands gzip, and asks for no part of the file.
func takesGzip(r *http.Request) bool {
	return r.Header.Get("Range") == "" && slices.Contains(encode.AcceptedEncodings(r, nil), "gzip")
}

package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// assetFiles are the scripts and styles of the frame, and the vendored ones: see assets/vendor/README.md.
//
//go:embed assets
var assetFiles embed.FS

// asset is a file of the console.
type asset struct {
	name    string
	content []byte
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
		s.assets[address], s.names[name] = asset{name, content}, s.Base+"/assets/"+address
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
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	http.ServeContent(w, r, file.name, time.Time{}, bytes.NewReader(file.content))
	return nil
}

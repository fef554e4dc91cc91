package caddytest

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Markers are a Token and a Sign that nothing else can look like. They hold the
// characters that are written in more than one way.
type Markers struct{ Token, Sign string }

// NewMarkers returns the same markers in each run: a failure can be looked into.
func NewMarkers() Markers {
	random := rand.New(rand.NewPCG(20261120, 7))
	text := func(size int) string {
		raw := make([]byte, size)
		for i := range raw {
			raw[i] = byte(random.Uint32())
		}
		return base64.StdEncoding.EncodeToString(raw)
	}
	return Markers{Token: text(600), Sign: text(120)}
}

// In puts the markers into a text that has $T and $S for them.
func (m Markers) In(text string) string {
	return strings.NewReplacer("$T", m.Token, "$S", m.Sign).Replace(text)
}

// FragmentSize is how much of a marker counts as a leak, in bytes.
const FragmentSize = 24

// needles are the forms in which a part of a marker could stand somewhere: as it
// is, escaped, and encoded once more.
func (m Markers) needles() map[string][]byte {
	needles := map[string][]byte{}
	for name, marker := range map[string]string{"Token": m.Token, "Sign": m.Sign} {
		for part, at := range map[string]int{"beginning": 0, "middle": len(marker) / 2 / 3 * 3, "end": len(marker) - FragmentSize} {
			text := marker[at : at+FragmentSize]
			label := name + ", " + part
			needles[label] = []byte(text)
			needles[label+`, with \/`] = []byte(strings.ReplaceAll(text, "/", `\/`))
			needles[label+`, with ~1`] = []byte(strings.ReplaceAll(text, "/", "~1"))
			needles[label+`, with \u002b`] = []byte(strings.NewReplacer("+", `\u002b`, "/", `\/`).Replace(text))
			needles[label+`, twice escaped`] = []byte(strings.ReplaceAll(text, "/", `\\/`))
			needles[label+", hexadecimal"] = []byte(hex.EncodeToString([]byte(text)))
			for shift := range 3 { // where in its group of three the text begins is not known
				encoded := base64.StdEncoding.EncodeToString([]byte(text[shift : FragmentSize-3+shift]))
				needles[label+", base64 "+string('0'+rune(shift))] = []byte(encoded)
			}
			if raw, err := base64.StdEncoding.DecodeString(marker[at/4*4 : at/4*4+FragmentSize]); err == nil {
				needles[label+", decoded"] = raw
			}
		}
	}
	return needles
}

// AbsentFrom fails the test if a part of a marker stands in text.
func (m Markers) AbsentFrom(t *testing.T, where string, text []byte) {
	t.Helper()
	for form, needle := range m.needles() {
		if at := bytes.Index(text, needle); at >= 0 {
			t.Errorf("%s holds %s: …%q…", where, form, text[max(0, at-120):min(len(text), at+40)])
			return
		}
	}
}

// AbsentFromFolder looks into every file, whatever it is: database, log, side file.
// It returns how many bytes it has seen.
func (m Markers) AbsentFromFolder(t *testing.T, folder string) (seen int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen += len(content)
		m.AbsentFrom(t, filepath.Base(path), content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

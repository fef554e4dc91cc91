package soap

import (
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap/xmlscan"
)

// Secret is a credential that stands in a message.
type Secret struct {
	// Name is that of the member, as the shapes have it.
	Name  string
	Value wsfev1.Secret
	// Start and End are where its content stands in the body that was given, whatever it is
	// written with: text, entities, CDATA sections, comments, elements.
	Start, End int
}

// secretNames are the names of the members that are credentials.
var secretNames = func() (names []string) {
	seen := map[*wsfev1.Shape]bool{}
	var collect func(shape *wsfev1.Shape)
	collect = func(shape *wsfev1.Shape) {
		if shape == nil || seen[shape] {
			return
		}
		seen[shape] = true
		collect(shape.Item)
		for _, m := range shape.Members {
			if m.Secret {
				names = append(names, m.Name)
			}
			collect(m.Shape)
		}
	}
	for _, op := range wsfev1.Operations {
		collect(op.Request)
	}
	return names
}()

// secretName returns the name of the credential that a name means. Case does not count: a
// client that has misspelt a name has sent its credential all the same.
func secretName(local []byte) string {
	for _, name := range secretNames {
		if len(name) == len(local) && strings.EqualFold(name, string(local)) {
			return name
		}
	}
	return ""
}

// FindSecrets finds the credentials of a message, in their order: the content of
// every element and attribute with the name of one, in whatever namespace and at whatever place.
// What stands within such an element is part of it. A body that is not well-formed to its
// end is an error, and nothing is found in it: such a body must not be kept.
func FindSecrets(body []byte, charset string) ([]Secret, error) {
	found, _, err := findSecrets(body, charset)
	return found, err
}

// ReplaceSecrets returns a message with other contents of its credentials, in its own encoding, and
// nothing else changed. What is not ASCII in them is written as a question mark.
func ReplaceSecrets(body []byte, charset string, with func(Secret) string) ([]byte, error) {
	found, encoding, err := findSecrets(body, charset)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(body))
	at := 0
	for _, secret := range found {
		out = append(append(out, body[at:secret.Start]...), encoding.Encode(asContent(with(secret)))...)
		at = secret.End
	}
	return append(out, body[at:]...), nil
}

// asContent escapes a text for an element as well as for an attribute.
func asContent(text string) string {
	escaped := string(xmlscan.AppendText(nil, text))
	escaped = strings.NewReplacer(`"`, "&quot;", "'", "&apos;").Replace(escaped)
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, escaped)
}

func findSecrets(body []byte, charset string) ([]Secret, xmlscan.Encoding, error) {
	text, encoding, err := xmlscan.Decode(body, charset)
	if err != nil {
		return nil, encoding, scanError(nil, err)
	}
	r := readers.Get().(*reader)
	defer r.release()
	r.scan.Reset(text, namespaces)
	f := secretFinder{scan: &r.scan, places: xmlscan.NewPlaces(text, encoding)}
	for {
		kind, err := r.scan.Next()
		switch {
		case err != nil:
			return nil, encoding, scanError(text, err)
		case kind == xmlscan.EOF:
			return f.found, encoding, nil
		}
		f.token(kind)
	}
}

type secretFinder struct {
	scan   *xmlscan.Scanner
	places xmlscan.Places
	found  []Secret
	// depth is that of the credential whose element is open, 0 where there is none, and value
	// what it has so far.
	depth int
	value strings.Builder
}

func (f *secretFinder) token(kind xmlscan.Kind) {
	switch {
	case f.depth > 0 && kind == xmlscan.Text:
		f.value.Write(f.scan.Text(nil))
	case f.depth > 0 && kind == xmlscan.End && f.scan.Depth() == f.depth-1:
		secret := &f.found[len(f.found)-1]
		secret.End = f.places.At(f.scan.Offset())
		secret.Value = wsfev1.Secret(strings.TrimSpace(f.value.String()))
		f.depth = 0
	case f.depth == 0 && kind == xmlscan.Start:
		f.attributes()
		if name := secretName(f.scan.Local()); name != "" {
			at := f.places.At(f.scan.Pos())
			f.found = append(f.found, Secret{Name: name, Start: at, End: at})
			f.depth = f.scan.Depth()
			f.value.Reset()
		}
	}
}

func (f *secretFinder) attributes() {
	for _, a := range f.scan.Attrs() {
		if name := secretName(a.Local); name != "" {
			f.found = append(f.found, Secret{
				Name: name, Value: wsfev1.Secret(strings.TrimSpace(string(a.AppendValue(nil)))),
				Start: f.places.At(a.Start), End: f.places.At(a.End),
			})
		}
	}
}

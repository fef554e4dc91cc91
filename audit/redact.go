package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// Redactor replaces credentials by fingerprints: what stands for a credential in
// a record lets two records be compared and tells nothing of the credential.
// It is safe for concurrent use.
type Redactor struct {
	macs sync.Pool // of hash.Hash, keyed: setting the key is half of the work
}

// NewRedactor returns a redactor with a secret key. Fingerprints made with
// different keys cannot be compared.
func NewRedactor(key []byte) *Redactor {
	key = bytes.Clone(key)
	return &Redactor{macs: sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

// minEcho is the length in bytes from which a credential is looked for outside
// of its own member: shorter ones occur everywhere by chance, and no ticket of
// the service is that short.
const minEcho = 8

// Fingerprint returns "hmac-sha256:" and 32 hexadecimal digits.
func (r *Redactor) Fingerprint(secret []byte) string {
	mac := r.macs.Get().(hash.Hash)
	defer r.macs.Put(mac)
	mac.Reset()
	mac.Write(secret)
	var sum [sha256.Size]byte
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(sum[:0])[:16])
}

// Inspected is Body for a body that is known to be of its operation's shape, as
// nearly all are: its credentials then stand where the shape has them, or in
// texts that echo them. It spares reading the body again where it holds no
// escapes, so that a credential looks as it is.
func (r *Redactor) Inspected(body []byte, credentials ...string) ([]byte, bool) {
	if bytes.IndexByte(body, '\\') >= 0 {
		return r.Body(body, credentials...)
	}
	redacted := body
	for _, c := range credentials {
		if len(c) < minEcho {
			return r.Body(body, credentials...)
		}
		if !bytes.Contains(body, []byte(c)) {
			continue
		}
		quoted := []byte(`"` + r.Fingerprint([]byte(c)) + `"`)
		redacted = bytes.ReplaceAll(redacted, []byte(`"`+c+`"`), quoted)
		if bytes.Contains(redacted, []byte(c)) {
			return r.Body(body, credentials...) // it is a part of some text
		}
	}
	return bytes.Clone(redacted), true
}

// Body returns the JSON body with every credential replaced and all other bytes
// as they were. A credential is the value of a member that the interface marks
// as secret, whatever the case of its name; everything but Cuit within an object
// that holds such members; and any text in which one of the credentials in echoes
// occurs. It returns false where body is not one JSON value: such a body must not
// be kept, since nothing tells where its credentials are.
func (r *Redactor) Body(body []byte, echoes ...string) ([]byte, bool) {
	w := redaction{redactor: r, body: body}
	for _, e := range echoes {
		if len(e) >= minEcho {
			w.echoes = append(w.echoes, e)
		}
	}
	w.json = jsontext.NewDecoder(bytes.NewBuffer(body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err := w.value(public); err != nil {
		return nil, false
	}
	if _, err := w.json.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	if w.copied == 0 {
		return bytes.Clone(body), true
	}
	return append(w.out, body[w.copied:]...), true
}

// secrecy says how the value that comes next is to be treated.
type secrecy uint8

const (
	public secrecy = iota
	// holder is an object that holds credentials.
	holder
	// secret is a credential, or whatever stands in its place.
	secret
)

// redaction is one walk over one body.
type redaction struct {
	redactor *Redactor
	body     []byte
	json     *jsontext.Decoder
	echoes   []string
	// out is the redacted body[:copied].
	out    []byte
	copied int64
}

func (w *redaction) value(s secrecy) error {
	switch w.json.PeekKind() {
	case '{':
		return w.object(s)
	case '[':
		if _, err := w.json.ReadToken(); err != nil {
			return err
		}
		if s == holder {
			s = secret // a list in place of Auth can hold nothing else
		}
		for w.json.PeekKind() != ']' {
			if err := w.value(s); err != nil {
				return err
			}
		}
		_, err := w.json.ReadToken()
		return err
	}
	raw, err := w.json.ReadValue()
	if err != nil {
		return err
	}
	if s != public && raw.Kind() != 'n' || raw.Kind() == '"' && w.echoed(raw) {
		w.replace(raw)
	}
	return nil
}

func (w *redaction) object(s secrecy) error {
	if _, err := w.json.ReadToken(); err != nil {
		return err
	}
	for w.json.PeekKind() != '}' {
		raw, err := w.json.ReadValue()
		if err != nil {
			return err
		}
		if raw.Kind() == '"' && w.echoed(raw) {
			w.replace(raw)
		}
		if err := w.value(s.of(raw)); err != nil {
			return err
		}
	}
	_, err := w.json.ReadToken()
	return err
}

// of returns the secrecy of the member with this raw name.
func (s secrecy) of(raw jsontext.Value) secrecy {
	if s == secret {
		return secret
	}
	name := string(raw[1 : len(raw)-1])
	if strings.Contains(name, `\`) {
		if unquoted, err := jsontext.AppendUnquote(nil, raw); err == nil {
			name = string(unquoted)
		}
	}
	if known, ok := secretMembers[strings.ToLower(name)]; ok {
		return known
	}
	if s == holder {
		return secret
	}
	return public
}

// echoed reports whether a credential occurs in a raw string.
func (w *redaction) echoed(raw jsontext.Value) bool {
	if len(w.echoes) == 0 {
		return false
	}
	text := []byte(raw)
	if bytes.IndexByte(text, '\\') >= 0 {
		if unquoted, err := jsontext.AppendUnquote(nil, raw); err == nil {
			text = unquoted
		}
	}
	for _, e := range w.echoes {
		if bytes.Contains(text, []byte(e)) {
			return true
		}
	}
	return false
}

// replace writes the fingerprint of the value that was just read in its place.
func (w *redaction) replace(raw jsontext.Value) {
	end := w.json.InputOffset()
	start := end - int64(len(raw))
	content := []byte(raw)
	if raw.Kind() == '"' {
		if unquoted, err := jsontext.AppendUnquote(nil, raw); err == nil {
			content = unquoted
		}
	}
	w.out = append(w.out, w.body[w.copied:start]...)
	w.out = append(w.out, '"')
	w.out = append(w.out, w.redactor.Fingerprint(content)...)
	w.out = append(w.out, '"')
	w.copied = end
}

// secretMembers tells, by lower-case name, which members are credentials, which
// hold them, and which stand beside them without being one. It is read off the
// types, so a new credential is redacted as soon as it is marked.
var secretMembers = func() map[string]secrecy {
	members := map[string]secrecy{}
	var visit func(*wsfev1.Shape)
	visit = func(s *wsfev1.Shape) {
		holds := false
		for i := range s.Members {
			holds = holds || s.Members[i].Secret
		}
		for i := range s.Members {
			m := &s.Members[i]
			name := strings.ToLower(m.Name)
			switch {
			case m.Secret:
				members[name] = secret
			case holds:
				members[name] = public
			}
			for j := range m.Shape.Members {
				if m.Shape.Members[j].Secret {
					members[name] = holder
				}
			}
			visit(m.Shape)
		}
	}
	for _, op := range wsfev1.Operations {
		visit(op.Request)
	}
	return members
}()

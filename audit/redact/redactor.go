package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Redactor replaces credentials by fingerprints. A fingerprint lets two records be compared,
// and reveals nothing of the credential. It is safe for concurrent use.
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

// maxName bounds the length in bytes of a name that is kept. None of the
// interface's is as long; a credential that a client puts where a name belongs is.
const maxName = 32

const fingerprintPrefix = "hmac-sha256:"

// Fingerprint returns "hmac-sha256:" and 32 hexadecimal digits.
func (r *Redactor) Fingerprint(secret []byte) string {
	sum := r.sum(secret)
	return fingerprintPrefix + hex.EncodeToString(sum[:16])
}

func (r *Redactor) sum(secret []byte) (sum [sha256.Size]byte) {
	mac := r.macs.Get().(hash.Hash)
	defer r.macs.Put(mac)
	mac.Reset()
	mac.Write(secret)
	mac.Sum(sum[:0])
	return sum
}

// Mark returns a keyed hash of texts: the same for the same texts in the same order.
func (r *Redactor) Mark(texts ...[]byte) [16]byte {
	mac := r.macs.Get().(hash.Hash)
	defer r.macs.Put(mac)
	mac.Reset()
	for _, text := range texts {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		mac.Write(length[:])
		mac.Write(text)
	}
	var sum [sha256.Size]byte
	return [16]byte(mac.Sum(sum[:0]))
}

// Body returns the JSON body with every credential replaced and all other bytes as they were.
// It replaces
//
//   - the value of a member that the interface marks as secret, whatever the case of its name;
//   - everything but Cuit within an object that holds such members, and a Cuit that is a text
//     and no CUIT;
//   - any text that holds a part of one of the credentials in echoes;
//   - a name that is longer than any of the interface's;
//   - everything in a body that is no object.
//
// It returns false if body is not one JSON value. Such a body must not be kept: its
// credentials cannot be located.
func (r *Redactor) Body(body []byte, echoes ...string) ([]byte, bool) {
	w := redaction{redactor: r, body: body, echoes: r.echoes(echoes)}
	return w.run()
}

// run walks over the whole body and returns what is kept of it.
func (w *redaction) run() ([]byte, bool) {
	w.json = jsontext.NewDecoder(bytes.NewBuffer(w.body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	document := public
	if w.json.PeekKind() != '{' {
		document = secret // no body of the interface: it may hold anything
	}
	if err := w.value(document, w.mask.root()); err != nil {
		return nil, false
	}
	if _, err := w.json.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	if w.copied == 0 {
		return bytes.Clone(w.body), true
	}
	return append(w.out, w.body[w.copied:]...), true
}

// redaction is one walk over one body.
type redaction struct {
	redactor *Redactor
	body     []byte
	json     *jsontext.Decoder
	echoes   *echoes
	// mask hides fields, nil if there are none. loose: the body need not be of its operation's
	// shape. collecting: the walk only reads the values of the fields.
	mask              *Mask
	loose, collecting bool
	// malformed: a request of unknown shape. secrets, if it is not nil, collects the
	// credentials of the walk, which does nothing else.
	malformed bool
	secrets   *bytes.Buffer
	// out is the redacted body[:copied].
	out    []byte
	copied int64
}

func (w *redaction) value(s secrecy, at *field) error {
	if at != nil && at.hidden {
		return w.hide()
	}
	switch w.json.PeekKind() {
	case '{':
		return w.object(s, at)
	case '[':
		if _, err := w.json.ReadToken(); err != nil {
			return err
		}
		if s == holder || s == number {
			s = secret // a list there can hold nothing else
		}
		for w.json.PeekKind() != ']' {
			if err := w.value(s, at); err != nil {
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
	if s.hides(raw) || raw.Kind() == '"' && (w.echoed(raw) || w.quoted(raw)) {
		w.replace(raw)
	}
	return nil
}

// hide replaces the value that follows, whatever it is; only null stays.
func (w *redaction) hide() error {
	raw, err := w.json.ReadValue()
	switch {
	case err != nil:
		return err
	case w.collecting:
		w.mask.collectValue(raw)
	case raw.Kind() != 'n':
		w.replace(raw)
	}
	return nil
}

func (w *redaction) object(s secrecy, at *field) error {
	if _, err := w.json.ReadToken(); err != nil {
		return err
	}
	for w.json.PeekKind() != '}' {
		raw, err := w.json.ReadValue()
		if err != nil {
			return err
		}
		name := string(unquoted(raw))
		if !w.collecting && (len(name) > maxName || !interfaceNames[name] && w.echoed(raw) || w.mask.repeats(name)) {
			w.replace(raw)
		}
		of := s.of(name)
		if w.malformed && of == public && !interfaceNames[name] {
			of = unknown
		}
		if err := w.value(of, w.mask.member(at, name, w.loose)); err != nil {
			return err
		}
	}
	_, err := w.json.ReadToken()
	return err
}

// echoed reports whether a part of a credential occurs in a raw string.
func (w *redaction) echoed(raw jsontext.Value) bool {
	return w.echoes != nil && w.echoes.in(unquoted(raw))
}

// quoted reports whether a raw string quotes or names a field.
func (w *redaction) quoted(raw jsontext.Value) bool {
	return w.mask != nil && !w.collecting && w.mask.quotes(string(unquoted(raw)))
}

// unquoted returns the text of a raw string. An invalid string is read as far as it goes:
// nothing of it may be missed.
func unquoted(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// replace writes the fingerprint of the value that was just read in its place.
func (w *redaction) replace(raw jsontext.Value) {
	if w.collecting {
		return
	}
	end := w.json.InputOffset()
	start := end - int64(len(raw))
	content := []byte(raw)
	if raw.Kind() == '"' {
		content = unquoted(raw)
	}
	if w.secrets != nil {
		w.secrets.Write(content)
		w.secrets.WriteByte(0)
		return
	}
	w.out = append(w.out, w.body[w.copied:start]...)
	w.out = append(w.out, '"')
	w.out = append(w.out, w.redactor.Fingerprint(content)...)
	w.out = append(w.out, '"')
	w.copied = end
}

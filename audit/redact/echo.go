package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
)

// maxEchoed bounds how much of a credential's beginning and of its end, in bytes, is looked for
// in bodies. A ticket of the service has a few thousand; a client that sends megabytes in its
// place must not make each body be searched for them.
const maxEchoed = 32 << 10

// echoes looks for parts of credentials in the texts of one body. The upstream may have cut
// a credential off, or written some of its characters in another way: what is left of it
// between two such places is enough.
type echoes struct {
	redactor *Redactor
	texts    []string
	// credentials are made of texts when the first text is looked at: most bodies have none
	// that could be an echo.
	credentials *Credentials
	// alphabet are the bytes that the credentials consist of. Nearly all texts have others
	// after every few.
	alphabet [256]bool
	// encoded looks for the credentials in base64, nil until some text may be that.
	encoded *Credentials
}

func (r *Redactor) echoes(credentials []string) *echoes {
	return &echoes{redactor: r, texts: credentials}
}

func (e *echoes) prepare() {
	var ends []string
	for _, text := range e.texts {
		if len(text) > 2*maxEchoed {
			ends = append(ends, text[:maxEchoed], text[len(text)-maxEchoed:])
		} else if len(text) >= minEcho {
			ends = append(ends, text)
		}
	}
	e.credentials = e.redactor.Credentials(ends...)
	for _, text := range ends {
		for _, b := range []byte(text) {
			e.alphabet[b] = true
		}
	}
}

// in reports whether a part of a credential stands in the text.
func (e *echoes) in(text []byte) bool {
	if len(e.texts) == 0 || len(text) < minEcho {
		return false
	}
	if e.credentials == nil {
		e.prepare()
	}
	if len(e.credentials.all) == 0 {
		return false
	}
	for start := 0; start < len(text); {
		run := leadingRun(text[start:], &e.alphabet)
		if run >= minEcho && e.credentials.shareWith(string(text[start:start+run])) {
			return true
		}
		start += run + 1
	}
	for start := 0; start < len(text); {
		run := leadingRun(text[start:], &base64Alphabet)
		if run >= minEncoded && e.inBase64(string(text[start:start+run])) {
			return true
		}
		start += run + 1
	}
	return false
}

// leadingRun returns with how many bytes of the alphabet the text begins.
func leadingRun(text []byte, alphabet *[256]bool) int {
	for i, b := range text {
		if !alphabet[b] {
			return i
		}
	}
	return len(text)
}

// minEncoded is the length in bytes from which a text may be a body in base64.
const minEncoded = 32

// inBase64 reports whether a part of a credential stands in a text in base64, wherever in
// its groups of three bytes the credential begins.
func (e *echoes) inBase64(text string) bool {
	if e.encoded == nil {
		var all []string
		for i := range e.credentials.all {
			c := []byte(e.credentials.all[i].text)
			for shift := range min(3, len(c)) {
				all = append(all, base64.StdEncoding.EncodeToString(c[shift:shift+(len(c)-shift)/3*3]))
			}
		}
		e.encoded = e.credentials.redactor.Credentials(all...)
	}
	return e.encoded.shareWith(text)
}

var base64Alphabet = func() (alphabet [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		alphabet[b] = true
	}
	return alphabet
}()

// inTexts reports whether a part of a credential stands in some text of a body that has no
// escapes. It leaves out what the interface has written: names, figures, fingerprints.
func (e *echoes) inTexts(body []byte) bool {
	for {
		start := bytes.IndexByte(body, '"')
		if start < 0 {
			return false
		}
		end := bytes.IndexByte(body[start+1:], '"')
		if end < 0 {
			return false
		}
		text := body[start+1:][:end]
		body = body[start+1:][end+1:]
		if len(text) >= minEcho && !isFigure(text) && !isName(body) && !isFingerprint(text) && e.in(text) {
			return true
		}
	}
}

// isFigure reports whether a text is a CAE, a date or a time: no ticket is as short and
// has digits alone.
func isFigure(text []byte) bool {
	if len(text) > len("20261120120000") {
		return false
	}
	for _, b := range text {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}

// isName reports whether what comes after a text shows that it was a member's name.
func isName(after []byte) bool {
	return len(after) > 0 && (after[0] == ':' || bytes.HasPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":")))
}

func isFingerprint(text []byte) bool {
	const digits = 32
	return len(text) == len(fingerprintPrefix)+digits && string(text[:len(fingerprintPrefix)]) == fingerprintPrefix &&
		isHexadecimal(text[len(fingerprintPrefix):])
}

func isHexadecimal(text []byte) bool {
	var decoded [16]byte
	_, err := hex.Decode(decoded[:], text)
	return err == nil
}

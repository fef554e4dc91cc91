package redact

import (
	"bytes"
	"encoding/hex"
)

// inTexts reports whether a credential may stand in the texts of a body that has no escapes, alone or in pieces. It
// leaves out names and fingerprints.
func (c *Credentials) inTexts(body []byte) bool {
	if len(c.texts) == 0 {
		return false
	}
	c.listen()
	for {
		start := bytes.IndexByte(body, '"')
		if start < 0 {
			return c.heard()
		}
		end := bytes.IndexByte(body[start+1:], '"')
		if end < 0 {
			return c.heard()
		}
		text := body[start+1:][:end]
		body = body[start+1:][end+1:]
		switch {
		case len(body) > 0 && body[0] == ':' || isName(body):
			if string(text) == "Code" {
				c.joined.code(body)
			}
		case len(text) > 0 && !isFingerprint(text):
			c.joined.add(c, text, kindOf(text))
		}
	}
}

// code adds the code of a message, which stands behind its name, if it can be a byte. A body of the interface has
// no other numbers that follow each other without a text between.
func (j *joined) code(body []byte) {
	body = bytes.TrimLeft(body, ": \t\r\n")
	digits := 0
	for digits < min(len(body), len("255")+1) && body[digits]-'0' < 10 {
		digits++
	}
	if isByte(body[:digits]) {
		j.numbers = append(append(j.numbers, body[:digits]...), ' ')
		j.count++
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

// leadingRun returns with how many bytes of the alphabet the text begins.
func leadingRun(text []byte, alphabet *[256]bool) int {
	for i, b := range text {
		if !alphabet[b] {
			return i
		}
	}
	return len(text)
}

var base64Alphabet = func() (alphabet [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		alphabet[b] = true
	}
	return alphabet
}()

package audit

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// originBegin begins the usual origin of a log.
const originBegin = "fielato/"

// Origin returns the usual first line of a log's checkpoints, which is also the name of its
// key. Characters that the name of a key cannot have (spaces, plus signs) are percent-encoded.
func Origin(log string) string {
	return originBegin + strings.ReplaceAll(url.PathEscape(log), "+", "%2B")
}

// SplitOrigin returns the log that has an origin, and what stands before the usual origin of the log: nothing, or a
// text that ends with a slash and makes the origin the only one of this name in the world, such as a domain. ok is
// false if no log has such an origin.
func SplitOrigin(origin string) (before, log string, ok bool) {
	last := strings.LastIndexByte(origin, '/')
	if last < 0 {
		return "", "", false
	}
	log, err := url.PathUnescape(origin[last+1:])
	before, found := strings.CutSuffix(origin, Origin(log))
	if err != nil || !found || before != "" && !isBefore(before) {
		return "", "", false
	}
	return before, log, true
}

// isBefore reports whether a text may stand before the usual origin: a signed note can carry it.
func isBefore(text string) bool {
	unfit := func(r rune) bool { return r == '+' || unicode.IsSpace(r) || unicode.IsControl(r) }
	return utf8.ValidString(text) && strings.HasSuffix(text, "/") && !strings.HasPrefix(text, "/") && strings.IndexFunc(text, unfit) < 0
}

// IsOrigin reports whether an origin is one of a log.
func IsOrigin(origin, log string) bool {
	_, of, ok := SplitOrigin(origin)
	return ok && of == log
}

// KeyName returns the name in a public key, empty if the text is no key.
func KeyName(verifier string) string {
	v, err := note.NewVerifier(verifier)
	if err != nil {
		return ""
	}
	return v.Name()
}

// origin returns the origin of a log that this key signs first.
func (k *Key) origin(log string) string {
	before, _, _ := SplitOrigin(k.signer.Name())
	return before + Origin(log)
}

package audit

import "strings"

// fragment is how much of a credential, in bytes, is taken for a leak in a text
// that may have cut or escaped it: an error's text, a pointer, a panic's value.
const fragment = 12

// Text returns the text, or a fingerprint in its place where a part of one of the
// credentials stands in it.
func (r *Redactor) Text(text string, credentials ...string) string {
	for _, c := range credentials {
		if sharesFragment(text, c) {
			return r.Fingerprint([]byte(text))
		}
	}
	return text
}

// Pointer returns the JSON Pointer with a fingerprint in the place of each step
// that is longer than any name of the interface or holds a part of one of the
// credentials: such a name is not the interface's.
func (r *Redactor) Pointer(pointer string, credentials ...string) string {
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		step = unescapePointer.Replace(step)
		if kept := r.Text(step, credentials...); kept != step {
			steps[i] = kept
		} else if len(step) > maxName {
			steps[i] = r.Fingerprint([]byte(step))
		}
	}
	return strings.Join(steps, "/")
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// sharesFragment reports whether some fragment of the credential stands in the
// text; a credential shorter than a fragment counts as a whole.
func sharesFragment(text, credential string) bool {
	n := min(fragment, len(credential))
	if n < minEcho || len(text) < n {
		return false
	}
	short, long := credential, text
	if len(short) > len(long) {
		short, long = long, short
	}
	for i := range len(short) - n + 1 {
		if strings.Contains(long, short[i:i+n]) {
			return true
		}
	}
	return false
}

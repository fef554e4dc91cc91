package needles

import (
	"unicode/utf8"

	"github.com/fielato/fielato/internal/mask/forms"
)

// IsShort reports whether a credential has fewer characters than count.
func IsShort(credential string) bool {
	characters, _, _ := appendSqueezed(nil, credential, &inBase64)
	return len(characters) < minRun
}

// appendSqueezed appends what a text counts as: what stands between may be anything. It reports whether
// there are others than letters and digits, and whether the text has bytes beyond ASCII.
func appendSqueezed[T []byte | string](out []byte, text T, squeeze *[256]byte) (squeezed []byte, symbols, wide bool) {
	if squeeze == nil {
		return append(out, text...), true, true
	}
	var all byte
	for i := range len(text) {
		all |= text[i]
		if b := squeeze[text[i]]; b != 0 {
			symbols = symbols || b < '0' || b == '='
			out = append(out, b)
		}
	}
	return out, symbols, all >= utf8.RuneSelf
}

// inBase64 leaves the characters of base64, whichever alphabet has written them, and inText letters and
// digits. Letters count as small ones.
var inBase64, inText = func() (all, some [256]byte) {
	for b := range byte(255) {
		switch {
		case b >= 'A' && b <= 'Z':
			some[b] = b | 0x20
		case forms.IsAlphanumeric(b):
			some[b] = b
		}
	}
	all = some
	all['+'], all['/'], all['='], all['-'], all['_'] = '+', '/', '=', '+', '/'
	return all, some
}()

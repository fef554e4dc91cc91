package journal

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// fingerprintPrefix begins the fingerprint that replaces a redacted value (mask.Redactor).
const fingerprintPrefix = "hmac-sha256:"

// withoutRedacted returns a body without the members whose values were redacted, and their
// names. The rest can be read, and compared with the service's invoice. It returns nil for a body
// that is not JSON.
func withoutRedacted(body []byte) (left []byte, names map[string]bool) {
	names = map[string]bool{}
	in := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	var out bytes.Buffer
	to := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))
	for {
		kind, length := in.StackIndex(in.StackDepth())
		if in.StackDepth() == 0 && length == 1 {
			return out.Bytes(), names
		}
		token, err := in.ReadToken()
		if err != nil {
			return nil, nil
		}
		if kind != '{' || length%2 != 0 || token.Kind() != '"' {
			err = to.WriteToken(token)
		} else {
			err = copyMember(in, to, token.String(), names)
		}
		if err != nil {
			return nil, nil
		}
	}
}

// copyMember copies the name that was read, and a text that follows. If the text is redacted
// it copies neither, and collects the name.
func copyMember(in *jsontext.Decoder, to *jsontext.Encoder, name string, redacted map[string]bool) error {
	if in.PeekKind() != '"' {
		return to.WriteToken(jsontext.String(name)) // the value is copied by the caller
	}
	value, err := in.ReadToken()
	if err != nil {
		return err
	}
	text := value.String()
	if strings.HasPrefix(text, fingerprintPrefix) {
		redacted[name] = true
		return nil
	}
	if err := to.WriteToken(jsontext.String(name)); err != nil {
		return err
	}
	return to.WriteToken(jsontext.String(text))
}

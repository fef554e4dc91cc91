package wsfev1

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Secret is a credential. It reaches the wire only through MarshalJSONTo; every
// other way of printing it (fmt, zap, encoding/json) shows a placeholder.
type Secret string

const redacted = "[redacted]"

// String returns a placeholder, never the credential.
func (Secret) String() string { return redacted }

// GoString returns a placeholder, never the credential.
func (Secret) GoString() string { return redacted }

// Format writes a placeholder for every verb, never the credential.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// MarshalJSON writes a placeholder: encoding/json is what loggers and dumps use.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalJSONTo writes the credential itself: this is the encoder of the wire.
func (s Secret) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteToken(jsontext.String(string(s)))
}

// Reveal returns the credential. Its callers are the places to look at when a
// credential must not leak.
func (s Secret) Reveal() string { return string(s) }

// Auth carries the credentials of a request (docs/sources.md#contract).
type Auth struct {
	// Token and Sign are the two halves of the access ticket, base64.
	Token Secret `wsfev1:"required,secret"`
	Sign  Secret `wsfev1:"required,secret"`
	// Cuit is the issuer for whom the request is made.
	Cuit CUIT `wsfev1:"required"`
}

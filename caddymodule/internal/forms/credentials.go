package forms

import (
	"bytes"
	"crypto/rand"

	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// NewRedactor returns a redactor with a random key: its fingerprints match no other's.
func NewRedactor() *mask.Redactor {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return mask.NewRedactor(key)
}

// SecretsIn returns the credentials of a request, and the texts of all elements of their names:
// one that is misspelled in its case is no part of the request.
func SecretsIn(text []byte, request any) []string {
	auth := wsfev1.AuthOf(request)
	secrets := []string{auth.Token.Reveal(), auth.Sign.Reveal()}
	var scan xmlscan.Scanner
	scan.Reset(text, nil)
	within := 0
	for len(secrets) < maxSecrets {
		kind, err := scan.Next()
		if err != nil || kind == xmlscan.EOF {
			break
		}
		name := scan.Local()
		switch {
		case kind == xmlscan.Start && within == 0 && (bytes.EqualFold(name, []byte("Token")) || bytes.EqualFold(name, []byte("Sign"))):
			within = scan.Depth()
		case kind == xmlscan.End && scan.Depth() < within:
			within = 0
		case kind == xmlscan.Text && within > 0 && !scan.Blank():
			secrets = append(secrets, string(scan.Text(nil)))
		}
	}
	return secrets
}

// maxSecrets bounds the texts that are looked for in findings.
const maxSecrets = 20

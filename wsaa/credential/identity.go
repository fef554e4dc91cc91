package credential

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/fielato/fielato/wsfev1"
)

// Identity says which certificate is meant, in every error, log line, metric and page. It may be shown.
type Identity struct {
	// Name is the name of the certificate as the login service writes it.
	Name string
	// Alias is the part of the name that its owner has chosen, or a part of the fingerprint if there is none.
	Alias string
	// CUIT is the owner, 0 if the name has none.
	CUIT wsfev1.CUIT
	// Expires is when the certificate ends.
	Expires time.Time
}

// Identity returns the identity of the certificate.
func (c *Credential) Identity() Identity {
	return Identity{Name: c.Name(), Alias: c.Alias(), CUIT: c.CUIT(), Expires: c.Expires()}
}

// Known reports whether there is a certificate: the zero Identity has none.
func (i Identity) Known() bool { return i.Name != "" }

// String returns alias, CUIT and expiry in one line, such as `erp, CUIT 20111111112, until 2027-03-31`. The
// day is the authority's.
func (i Identity) String() string {
	parts := []string{i.Alias}
	if strings.ContainsFunc(i.Alias, func(r rune) bool { return !unicode.IsPrint(r) }) {
		parts[0] = strconv.Quote(i.Alias) // it must not begin a line of a log
	}
	if i.CUIT != 0 {
		parts = append(parts, fmt.Sprintf("CUIT %s", i.CUIT))
	}
	return strings.Join(append(parts, "until "+i.Expires.In(wsfev1.Argentina).Format(time.DateOnly)), ", ")
}

package wsaa

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

const (
	// maxTicketCuits is how many CUITs a ticket may act for: ReadTicket reads no more.
	maxTicketCuits = 10_000
	// maxTicketLife bounds the life of a ticket to what a test can need.
	maxTicketLife = 10 * 365 * 24 * time.Hour
	// signLength is the length of the authority's own signatures, in bytes.
	signLength = 128
	// testIssuer is the name of the signer of test tickets, which is not the authority's.
	testIssuer = "CN=fielato-test, O=Fielato, C=AR"
)

// NoTicket is why a Token is refused that is no access ticket.
const NoTicket = "El Token no es un ticket de acceso de WSAA."

// NewTicket makes a Token and a Sign for tests. They have the form of a WSAA access ticket
// (docs/sources.md#access-tickets), made now, alive for life (1 s to 10 years, whole seconds) and acting for
// the CUITs (1 to 10,000). service is the id of the service that it opens, "wsfe" for this
// one: lower-case letters, digits and underscores.
//
// ARCA accepts none of them: they name another source, and the Sign has the right length but
// is no signature. Equal arguments make equal tickets.
func NewTicket(now time.Time, life time.Duration, service string, cuits ...wsfev1.CUIT) (token, sign wsfev1.Secret, err error) {
	switch {
	case len(cuits) == 0:
		return "", "", errors.New("a ticket needs the CUITs for which it acts")
	case len(cuits) > maxTicketCuits:
		return "", "", fmt.Errorf("a ticket acts for %d CUITs at most, not for %d", maxTicketCuits, len(cuits))
	case life < time.Second || life > maxTicketLife:
		return "", "", fmt.Errorf("a ticket lives from a second to ten years, not %v", life)
	case service == "" || strings.Trim(service, "abcdefghijklmnopqrstuvwxyz0123456789_") != "":
		return "", "", fmt.Errorf("%q is not the id of a service, such as wsfe", service)
	}
	for _, cuit := range cuits {
		if !cuit.Valid() {
			return "", "", fmt.Errorf("%s is not a CUIT: eleven digits, the last of which checks the others", cuit)
		}
	}
	document := tokenContent{
		source: testIssuer, service: service, user: fmt.Sprintf("SERIALNUMBER=CUIT %s, CN=fielato-test", cuits[0]),
		id: uint32(now.Unix()), from: now, until: now.Add(life), cuits: cuits,
	}.document()
	return wsfev1.Secret(base64.StdEncoding.EncodeToString(document)), testSign(document), nil
}

// testSign is as long as a signature, with a text that it is none.
func testSign(document []byte) wsfev1.Secret {
	sign := []byte("fielato-test: this is no signature. ")
	for digest := sha256.Sum256(document); len(sign) < signLength; digest = sha256.Sum256(digest[:]) {
		sign = append(sign, digest[:]...)
	}
	return wsfev1.Secret(base64.StdEncoding.EncodeToString(sign[:signLength]))
}

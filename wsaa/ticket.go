package wsaa

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// TicketService is the id of this service in an access ticket (docs/sources.md#access-tickets).
const TicketService = "wsfe"

const (
	// maxTicketText is the longest Token that is read, in bytes of base64. A relation
	// takes some 75 of them: the largest ticket that is read fits, indented and all.
	maxTicketText = 1 << 20
	// maxTicketRelations is how many CUITs a ticket may act for.
	maxTicketRelations = 10_000
	// maxTicketDepth is how deep the elements of a ticket may lie; its own need five.
	maxTicketDepth = 16
	// maxTicketTime is the last second of the year 9999: what lies past it has no
	// text form.
	maxTicketTime = 253_402_300_799
	// maxServiceShown is how many characters of a ticket's service a text shows: the
	// ticket is the client's, and as long as the client likes.
	maxServiceShown = 40
)

// Ticket is the content of a WSAA access ticket (docs/sources.md#access-tickets). It holds no credential:
// it cannot be used to sign in.
type Ticket struct {
	// Generation and Expiration bound the ticket's life, in whole seconds, UTC. The
	// authority writes a Generation that is 60 s older than the ticket.
	Generation, Expiration time.Time
	// Service is the id of the service that the ticket opens, exactly as in the ticket.
	Service string
	// Destination is the distinguished name of that service, such as
	// "CN=wsfe, O=AFIP, C=AR", exactly as in the ticket, empty if it has none. No decision
	// depends on it.
	Destination string
	// Relations are the CUITs that the ticket may act for, in its own order; at most
	// 10,000.
	Relations []wsfev1.CUIT
}

// ReadTicket reads a Token: base64, with or without padding and line breaks, of an
// <sso> document (docs/sources.md#access-tickets). It reports false for a Token that is not a readable WSAA
// ticket: such a one is not ours to judge. There is no reason, because it would quote the
// Token.
//
// Also not readable is an <sso> that only the service knows how to read: without times or
// with times in another form than seconds since 1970, without a login and its service, with
// one of these given twice, with a key of a relation that is no number, with a document
// type, with more than 1 MiB or 10,000 relations. A ticket without relations is readable: it
// acts for no issuer. The time that reading takes grows with the length of the Token only.
func ReadTicket(token wsfev1.Secret) (*Ticket, bool) {
	ticket, _, ok := readTicket(token)
	return ticket, ok
}

// readTicket is ReadTicket, and returns the holder apart: a Ticket tells nothing of who logged in.
func readTicket(token wsfev1.Secret) (_ *Ticket, holder string, ok bool) {
	_, document, err := decodeToken(token)
	if err != nil {
		return nil, "", false
	}
	decoder := xml.NewDecoder(bytes.NewReader(document))
	r := ticketReader{path: make([]string, 0, maxTicketDepth)}
	for {
		piece, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF) && r.id && r.login:
			return &r.ticket, r.holder, true
		case err != nil || !r.take(piece):
			return nil, "", false
		}
	}
}

// decodeToken returns the base64 text of a Token without white space, and the decoded
// document. The error holds no part of the Token.
func decodeToken(token wsfev1.Secret) (text string, document []byte, err error) {
	text = token.Reveal()
	if len(text) > maxTicketText {
		return "", nil, fmt.Errorf("the token has %d bytes, more than %d", len(text), maxTicketText)
	}
	if strings.ContainsAny(text, " \t\r\n") {
		text = strings.Join(strings.Fields(text), "")
	}
	document, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return "", nil, fmt.Errorf("decode the token: %w", err)
	}
	return text, document, nil
}

// ticketReader builds a Ticket from the pieces of its document.
type ticketReader struct {
	ticket Ticket
	// holder is the distinguished name of the computer that logged in, exactly as in the ticket. It is empty if
	// the ticket has none, or several.
	holder string
	// path names the elements that are open, the root first.
	path []string
	// root, id and login: the element of this name has been read.
	root, id, login bool
}

// The elements that count, each by its way from the root.
var (
	pathID       = []string{"sso", "id"}
	pathLogin    = []string{"sso", "operation", "login"}
	pathRelation = []string{"sso", "operation", "login", "relations", "relation"}
)

// take adds a piece and reports whether the document is still a ticket's.
func (r *ticketReader) take(piece xml.Token) bool {
	switch piece := piece.(type) {
	case xml.StartElement:
		return r.open(piece)
	case xml.EndElement:
		r.path = r.path[:len(r.path)-1]
		return true
	case xml.CharData:
		return len(r.path) > 0 || len(bytes.TrimSpace(piece)) == 0
	case xml.ProcInst:
		return piece.Target == "xml" && !r.root
	case xml.Comment:
		return true
	}
	return false // a document type can give a text another meaning
}

func (r *ticketReader) open(element xml.StartElement) bool {
	name := element.Name.Local
	if element.Name.Space != "" {
		name = "" // of another vocabulary: no element that counts has a namespace
	}
	if len(r.path) == maxTicketDepth {
		return false
	}
	r.path = append(r.path, name)
	switch {
	case len(r.path) == 1:
		first := !r.root
		r.root = true
		return first && name == "sso"
	case slices.Equal(r.path, pathID):
		return r.readID(element.Attr)
	case slices.Equal(r.path, pathLogin):
		return r.readLogin(element.Attr)
	case slices.Equal(r.path, pathRelation):
		return r.readRelation(element.Attr)
	}
	return true
}

func (r *ticketReader) readID(attributes []xml.Attr) bool {
	first := !r.id
	r.id = true
	generation, okGeneration := ticketSeconds(attributes, "gen_time")
	expiration, okExpiration := ticketSeconds(attributes, "exp_time")
	destination, times := ticketAttribute(attributes, "dst")
	r.ticket.Generation, r.ticket.Expiration, r.ticket.Destination = generation, expiration, destination
	return first && okGeneration && okExpiration && times <= 1
}

func (r *ticketReader) readLogin(attributes []xml.Attr) bool {
	first := !r.login
	r.login = true
	service, times := ticketAttribute(attributes, "service")
	r.ticket.Service = service
	if holder, named := ticketAttribute(attributes, "uid"); named == 1 {
		r.holder = holder
	}
	return first && times == 1
}

func (r *ticketReader) readRelation(attributes []xml.Attr) bool {
	key, times := ticketAttribute(attributes, "key")
	cuit, err := strconv.ParseUint(key, 10, 63)
	r.ticket.Relations = append(r.ticket.Relations, wsfev1.CUIT(cuit))
	return err == nil && times == 1 && len(r.ticket.Relations) <= maxTicketRelations
}

// ticketAttribute returns the last attribute of this name and how many there are:
// the decoder lets one be given twice.
func ticketAttribute(attributes []xml.Attr, name string) (value string, times int) {
	for _, a := range attributes {
		if a.Name.Space == "" && a.Name.Local == name {
			value, times = a.Value, times+1
		}
	}
	return value, times
}

func ticketSeconds(attributes []xml.Attr, name string) (time.Time, bool) {
	text, times := ticketAttribute(attributes, name)
	seconds, err := strconv.ParseUint(text, 10, 63)
	return time.Unix(int64(seconds), 0).UTC(), err == nil && times == 1 && seconds <= maxTicketTime
}

// Refusal returns the Msg, in Spanish, with which the service would refuse the
// ticket under code 600 when it is used for this CUIT now; empty if it would not.
// It looks in the order of the service (docs/sources.md#credentials): times, service, CUIT.
// Of the ticket only a time or the head of its service id is in the text.
//
// Both bounds are part of the life, and times are compared in whole seconds, which
// is what a ticket counts in. There is no tolerance for a clock that runs late: the
// authority has put its own 60 s into Generation.
func (t *Ticket) Refusal(cuit wsfev1.CUIT, now time.Time) string {
	if refusal := t.timeRefusal(now); refusal != "" {
		return refusal
	}
	switch {
	case t.Service != TicketService:
		return fmt.Sprintf("El ticket de acceso es del servicio %s y no de %q.", serviceShown(t.Service), TicketService)
	case !slices.Contains(t.Relations, cuit):
		return fmt.Sprintf("La CUIT %s no está en la lista de relaciones del ticket de acceso.", cuit)
	}
	return ""
}

// The beginnings of the texts about the times.
const (
	notYet  = "El ticket de acceso vale desde"
	expired = "El ticket de acceso venció"
)

// InForce reports whether the ticket's times allow its use now.
func (t *Ticket) InForce(now time.Time) bool { return t.timeRefusal(now) == "" }

// timeRefusal is Refusal for mistakes in the times.
func (t *Ticket) timeRefusal(now time.Time) string {
	switch second := now.Unix(); {
	case second < t.Generation.Unix():
		return fmt.Sprintf(notYet+" %s y ahora es %s.", ticketTime(t.Generation), ticketTime(now))
	case second > t.Expiration.Unix():
		return fmt.Sprintf(expired+": valía hasta %s y ahora es %s.", ticketTime(t.Expiration), ticketTime(now))
	}
	return ""
}

func ticketTime(t time.Time) string { return t.In(wsfev1.Argentina).Format(time.RFC3339) }

// serviceShown quotes the head of a service id. Characters that are invisible or turn the
// direction of the text show as escapes.
func serviceShown(service string) string {
	shown := 0
	for i := range service {
		if shown++; shown > maxServiceShown {
			return strconv.Quote(service[:i] + "…")
		}
	}
	return strconv.Quote(service)
}

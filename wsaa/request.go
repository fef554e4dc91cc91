package wsaa

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// loginRequest is a request for a ticket (TRA), as a client has signed it.
type loginRequest struct {
	version string
	// source and destination are names that the client may give; nil if it does not.
	source, destination *string
	generation          time.Time
	expiration          time.Time
	service             string
}

// The bounds of the id of a service. The schema says 32 and the manual 35.
const (
	minService = 3
	maxService = 35
)

var (
	// serviceForm is the schema's: the commas in it are the authority's.
	serviceForm = regexp.MustCompile(`^[a-zA-Z,][a-zA-Z,\-_0-9]*$`)
	timeForm    = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$`)
	decimalForm = regexp.MustCompile(`^[+-]?(\d+(\.\d*)?|\.\d+)$`)
)

// readRequest reads the document of a request by the schema of the authority: no namespace, every
// element in its place and at most once. White space around the document and around values does
// not count. The error holds no more of it than the name of an element.
func readRequest(document []byte) (*loginRequest, error) {
	document = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(document), byteOrderMark))
	root, err := newTreeReader(document).read()
	if err != nil {
		return nil, err
	}
	if root.name != (xml.Name{Local: "loginTicketRequest"}) {
		return nil, errors.New("the document is no loginTicketRequest")
	}
	r := &loginRequest{version: "1.0"}
	if err := r.readAttributes(root); err != nil {
		return nil, err
	}
	parts, err := sequence(root, "header", "service")
	if err != nil {
		return nil, err
	}
	if err := r.readHeader(parts[0]); err != nil {
		return nil, err
	}
	r.service, err = value(parts[1])
	if err == nil && !IsService(r.service) {
		err = errors.New("service is not the id of one")
	}
	return r, err
}

// IsService reports whether a text can be the id of a service, such as wsfe.
func IsService(text string) bool {
	return len(text) >= minService && len(text) <= maxService && serviceForm.MatchString(text)
}

// readAttributes reads the attributes of the root.
func (r *loginRequest) readAttributes(root *node) error {
	for i, a := range root.attrs {
		switch {
		case a.Name.Space == "xmlns" || a.Name == xml.Name{Local: "xmlns"} || strings.HasSuffix(a.Name.Space, "XMLSchema-instance"):
		case a.Name != xml.Name{Local: "version"}:
			return errors.New("loginTicketRequest has an attribute other than version")
		case !decimalForm.MatchString(strings.TrimSpace(a.Value)):
			return errors.New("version is not a number")
		default:
			for _, other := range root.attrs[:i] {
				if other.Name == a.Name {
					return errors.New("version is given twice")
				}
			}
			r.version = strings.TrimSpace(a.Value)
		}
	}
	return nil
}

func (r *loginRequest) readHeader(header *node) error {
	parts, err := sequence(header, "source?", "destination?", "uniqueId", "generationTime", "expirationTime")
	if err != nil {
		return err
	}
	for i, name := range []**string{&r.source, &r.destination} {
		if parts[i] == nil {
			continue
		}
		if len(parts[i].children) > 0 {
			return fmt.Errorf("%s has elements", parts[i].name.Local)
		}
		text := parts[i].text.String()
		*name = &text
	}
	text, err := value(parts[2])
	if err != nil {
		return err
	}
	// Whether the number was used before does not matter: some clients always send the same.
	if _, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 32); err != nil {
		return errors.New("uniqueId is not a number of 32 bits")
	}
	if r.generation, err = timeValue(parts[3]); err != nil {
		return err
	}
	r.expiration, err = timeValue(parts[4])
	return err
}

// sequence returns the children of an element, which must have these names in this order. One
// whose name ends in ? may be missing: nil stands for it.
func sequence(parent *node, names ...string) (parts []*node, err error) {
	if strings.TrimSpace(parent.text.String()) != "" {
		return nil, fmt.Errorf("text stands in %s", parent.name.Local)
	}
	rest := parent.children
	for _, name := range names {
		local, optional := strings.CutSuffix(name, "?")
		switch {
		case len(rest) > 0 && rest[0].name == xml.Name{Local: local}:
			parts, rest = append(parts, rest[0]), rest[1:]
		case optional:
			parts = append(parts, nil)
		default:
			return nil, fmt.Errorf("%s does not stand in its place", local)
		}
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("more stands in %s than belongs there", parent.name.Local)
	}
	return parts, nil
}

// value returns the text of an element without elements.
func value(n *node) (string, error) {
	if len(n.children) > 0 {
		return "", fmt.Errorf("%s has elements", n.name.Local)
	}
	return strings.TrimSpace(n.text.String()), nil
}

// timeValue returns the time of an element. One without an offset is the authority's local time.
func timeValue(n *node) (time.Time, error) {
	text, err := value(n)
	if err != nil {
		return time.Time{}, err
	}
	if match := timeForm.FindStringSubmatch(text); match != nil {
		layout := "2006-01-02T15:04:05"
		if match[2] != "" {
			layout += "Z07:00"
		}
		if t, err := time.ParseInLocation(layout, text, wsfev1.Argentina); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a time", n.name.Local)
}

// maxRequestAge is how far back the generation, and how far ahead the expiration may lie.
const maxRequestAge = 24 * time.Hour

// loginNames are the names of the authority's own login services, for testing and production.
var loginNames = []string{
	"CN=wsaahomo, O=AFIP, C=AR, SERIALNUMBER=CUIT " + authorityCUIT,
	"CN=wsaa, O=AFIP, C=AR, SERIALNUMBER=CUIT " + authorityCUIT,
}

// refusal returns why the request is refused at a moment, nil if it is not. subject has the
// attributes of the name of the client's certificate.
func (r *loginRequest) refusal(subject []nameAttribute, now time.Time) *Fault {
	switch {
	case normalDecimal(r.version) != "1":
		return refuse(VersionNotSupported, "version is not 1.0")
	case r.source != nil && !sameName(*r.source, subject):
		return refuse(SourceInvalid, "source is not the name of the certificate")
	case r.destination != nil && !isLoginName(*r.destination):
		return refuse(DestinationInvalid, "destination is not the name of the service: "+loginNames[0])
	case r.generation.After(now):
		return refuse(GenerationTimeInvalid, "generationTime is "+ahead(r.generation, now)+" ahead of the service's clock")
	case r.generation.Before(now.Add(-maxRequestAge)):
		return refuse(GenerationTimeInvalid, "generationTime is more than 24 hours ago")
	case r.expiration.Before(now):
		return refuse(ExpirationTimeExpired, "expirationTime was "+ahead(now, r.expiration)+" ago")
	case r.expiration.After(now.Add(maxRequestAge)):
		return refuse(ExpirationTimeInvalid, "expirationTime is more than 24 hours ahead")
	}
	return nil
}

func ahead(later, earlier time.Time) string {
	return later.Sub(earlier).Round(time.Millisecond).String()
}

func isLoginName(text string) bool {
	given := readName(text)
	for _, name := range loginNames {
		if own := readName(name); strings.Join(own, "\n") == strings.Join(given, "\n") {
			return true
		}
	}
	return false
}

// normalDecimal returns a decimal without sign, zeros and a point that mean nothing.
func normalDecimal(text string) string {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "+"), ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

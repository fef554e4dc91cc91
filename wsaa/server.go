package wsaa

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/wsaa/internal/cms"
	"github.com/fielato/fielato/wsfev1"
)

// Server is a login service for tests. It gives tickets in the form of the authority's, signed
// with a key of its own, to any computer that it trusts. Its fields must not change while it is in
// use; any number of logins may run at the same time.
type Server struct {
	// Issuer signs the tickets.
	Issuer *Issuer
	// Clock returns the time.
	Clock func() time.Time
	// Trust is which certificates may log in.
	Trust Trust
	// Services are the ids of the services for which there are tickets.
	Services []string
	// Represented are the CUITs for which the computers of a CUIT act, besides their own.
	Represented map[wsfev1.CUIT][]wsfev1.CUIT
	// Life is how long a ticket lives.
	Life time.Duration
	// Window is for how long a computer that has a ticket gets no other for the same service. 0:
	// it always gets one. It ends with the ticket's life. Logins has what it needs to know.
	Window time.Duration
	Logins *Logins
	// Failure is the code of a fault with which every login ends that would otherwise succeed;
	// empty for none.
	Failure string
}

// Login describes a login, as far as it is known. It holds no credential but Response.
type Login struct {
	// Subject is the name of the certificate and CUIT the one in it; empty and 0 until it is known
	// that the certificate's key signed.
	Subject string
	CUIT    wsfev1.CUIT
	// Service is the service that was asked for, empty as long as that is unknown.
	Service string
	// Expiration is when the ticket expires.
	Expiration time.Time
	// Response is the document with the ticket: loginTicketResponse.
	Response wsfev1.Secret
}

// Login answers the operation loginCms: in0 is base64 of a signed request. The fault is nil if it
// succeeds. With one, the Login has what was known until then.
func (s *Server) Login(in0 string) (Login, *Fault) {
	login := Login{}
	fault := s.login(&login, in0, s.Clock())
	return login, fault
}

func (s *Server) login(login *Login, in0 string, now time.Time) *Fault {
	signed, fault := readSigned(in0)
	if fault != nil {
		return fault
	}
	subject, err := ComputerName(signed.Signer)
	if err != nil {
		return NewFault(BadCMS, err)
	}
	cuit, errCUIT := CertificateCUIT(signed.Signer)
	login.Subject, login.CUIT = subject, cuit
	if fault := s.Trust.refusal(signed, now); fault != nil {
		return fault
	}
	request, err := readRequest(signed.Content)
	if err != nil {
		return NewFault(BadXML, err)
	}
	login.Service = request.service
	parts, err := nameParts(signed.Signer.RawSubject)
	if err != nil {
		return NewFault(BadCMS, err)
	}
	if fault := request.refusal(slices.Concat(parts...), now); fault != nil {
		return fault
	}
	if fault := s.authorize(request, errCUIT); fault != nil {
		return fault
	}
	if window := min(s.Window, s.Life); window > 0 && !s.Logins.take(keyOf(signed.Signer.RawSubject, request.service), now, window) {
		return refuse(AlreadyAuthenticated, fmt.Sprintf("it got a ticket less than %v ago", window))
	}
	return s.issue(login, now)
}

// readSigned decodes and verifies what a client sent.
func readSigned(in0 string) (*cms.Signed, *Fault) {
	text := strings.Join(strings.Fields(in0), "")
	if text == "" {
		return nil, refuse(BadBase64, "in0 is empty")
	}
	if strings.HasPrefix(text, "-----BEGIN") {
		return nil, refuse(BadBase64, "in0 has the lines BEGIN and END of PEM: leave them out")
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, NewFault(BadBase64, err)
	}
	signed, err := cms.Verify(data)
	switch {
	case errors.Is(err, cms.ErrFormat):
		return nil, NewFault(BadCMS, err)
	case errors.Is(err, cms.ErrNoCertificate):
		return nil, NewFault(CertificateNotFound, err)
	case err != nil:
		return nil, NewFault(SignatureInvalid, err)
	}
	return signed, nil
}

// authorize looks at the service and at who asks for it.
func (s *Server) authorize(request *loginRequest, errCUIT error) *Fault {
	switch {
	case !slices.Contains(s.Services, request.service):
		return refuse(ServiceNotFound, "there are tickets for "+strings.Join(s.Services, ", "))
	case errCUIT != nil:
		return NewFault(NotAuthorized, errCUIT)
	case s.Failure != "":
		return refuse(s.Failure, "the configuration makes every login fail")
	}
	return nil
}

// issue makes the ticket.
func (s *Server) issue(login *Login, now time.Time) *Fault {
	login.Expiration = now.Add(s.Life)
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	content := tokenContent{
		source: testIssuer, user: login.Subject, service: login.Service, id: binary.BigEndian.Uint32(random[:]),
		from: now, until: login.Expiration,
		cuits: slices.Concat([]wsfev1.CUIT{login.CUIT}, s.Represented[login.CUIT]),
	}
	document := content.document()
	sign, err := s.Issuer.sign(document)
	if err != nil {
		return NewFault(LoginInternalError, err)
	}
	login.Response = response(login, binary.BigEndian.Uint32(random[4:]), now, document, sign)
	return nil
}

// responseTime is how the service writes a time.
const responseTime = "2006-01-02T15:04:05.000-07:00"

// response returns the document with the ticket. It names the authority's service for testing as its
// source: a client may look at it. The Token names its true source.
func response(login *Login, id uint32, now time.Time, document []byte, sign wsfev1.Secret) wsfev1.Secret {
	return wsfev1.Secret(fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<loginTicketResponse version="1">
    <header>
        <source>%s</source>
        <destination>%s</destination>
        <uniqueId>%d</uniqueId>
        <generationTime>%s</generationTime>
        <expirationTime>%s</expirationTime>
    </header>
    <credentials>
        <token>%s</token>
        <sign>%s</sign>
    </credentials>
</loginTicketResponse>
`, loginNames[0], escaped(login.Subject), id, now.In(wsfev1.Argentina).Format(responseTime),
		login.Expiration.In(wsfev1.Argentina).Format(responseTime), base64.StdEncoding.EncodeToString(document), sign.Reveal()))
}

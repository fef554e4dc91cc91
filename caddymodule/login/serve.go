package login

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/wsaa"
)

const (
	// maxBody is the largest message that is read, in bytes. A client's message has 3 to 10 kB.
	maxBody = 256 << 10
	// maxSubject is how many bytes of a certificate's name a log line has: the name is the
	// client's, and as long as the client likes.
	maxSubject = 256
)

// serveLogin answers the operation loginCms. What stands after ? does not matter: a client posts
// to the address of the WSDL.
func (s *Service) serveLogin(w http.ResponseWriter, r *http.Request) error {
	held, leave, err := s.room.Enter(r.Context())
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	defer leave()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return caddyhttp.Error(http.StatusRequestEntityTooLarge, err)
		}
		return caddyhttp.Error(http.StatusBadRequest, err)
	}
	server := s.server
	server.Issuer, server.Logins = held.issuer, &held.logins
	if set := held.failure.Load(); set != nil {
		server.Failure = *set
	}
	version, login, fault := answer(&server, r, body)
	s.report(r, login, fault)
	if fault != nil {
		return s.write(w, http.StatusInternalServerError, version, version.Fault(fault))
	}
	return s.write(w, http.StatusOK, version, version.Answer(login.Response))
}

// answer reads the message and carries the login out.
func answer(server *wsaa.Server, r *http.Request, body []byte) (version wsaa.SOAP, login wsaa.Login, fault *wsaa.Fault) {
	if lacksAction(r) {
		return version, login, wsaa.NoSOAPActionFault()
	}
	version, in0, fault := wsaa.ReadEnvelope(body)
	if fault == nil {
		login, fault = server.Login(in0)
	}
	return version, login, fault
}

// lacksAction reports whether the header SOAPAction is missing: SOAP 1.1 needs it, with any value.
func lacksAction(r *http.Request) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.Header["Soapaction"] == nil && media != "application/soap+xml"
}

// write sends an answer. Its Date is of the clock by which logins are judged: a client whose own differs learns from it
// by how much.
func (s *Service) write(w http.ResponseWriter, status int, version wsaa.SOAP, message []byte) error {
	h := w.Header()
	h.Set("Date", s.server.Clock().UTC().Format(http.TimeFormat))
	h.Set("Content-Type", version.ContentType())
	h.Set("Content-Length", strconv.Itoa(len(message)))
	h.Set("Cache-Control", "no-store") // it may hold a ticket
	w.WriteHeader(status)
	_, err := w.Write(message)
	return err
}

// report counts a login and logs it: who, for what, and what became of it. Nothing of the ticket is
// in the log.
func (s *Service) report(r *http.Request, login wsaa.Login, fault *wsaa.Fault) {
	result, fields := resultGranted, []zap.Field{}
	if login.Subject != "" {
		fields = append(fields, zap.String("subject", cut(login.Subject, maxSubject)), zap.Stringer("cuit", login.CUIT))
	}
	if login.Service != "" {
		fields = append(fields, zap.String("service", login.Service))
	}
	address, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	fields = append(fields, zap.String("client", address))
	if fault == nil {
		logins.WithLabelValues(result).Inc()
		s.logger.Info("a client has logged in", append(fields, zap.String("result", result),
			zap.String("expires", login.Expiration.Format(time.RFC3339)))...)
		return
	}
	result = fault.Code
	logins.WithLabelValues(result).Inc()
	fields = append(fields, zap.String("result", result))
	if fault.Reason != nil {
		fields = append(fields, zap.NamedError("reason", fault.Reason))
	}
	s.logger.Warn("a login was refused", fields...)
}

// cut returns the head of a text, at most so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

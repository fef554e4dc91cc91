package caddytest

import (
	"net/http"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// Message writes a request in JSON as one in SOAP.
func (s *Site) Message(version soap.Version, operation, body string) string {
	s.T.Helper()
	request, findings := validate.Decode(wsfev1.OperationByName(operation), []byte(body), validate.ARCA)
	if len(findings) > 0 {
		s.T.Fatalf("%s: %+v", body, findings)
	}
	message, err := soap.AppendRequest(nil, version, request.Operation, request.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return string(message)
}

// Call sends a request, given in JSON, as SOAP and returns the answer.
func (s *Site) Call(version soap.Version, operation, body string) Response {
	s.T.Helper()
	return s.Send(version, operation, s.Message(version, operation, body))
}

// Send sends a message to the address for SOAP with the action of an operation, or none.
func (s *Site) Send(version soap.Version, operation, message string, change ...func(*http.Request)) Response {
	s.T.Helper()
	r, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+"/wsfev1/service.asmx", strings.NewReader(message))
	if err != nil {
		s.T.Fatal(err)
	}
	r.Header.Set("Content-Type", version.MediaType())
	if operation != "" {
		r.Header.Set("SOAPAction", `"`+soap.ActionPrefix+operation+`"`)
	}
	for _, one := range change {
		one(r)
	}
	return s.Do(r)
}

package caddytest

import (
	"net/http"
	"strings"

	"github.com/fielato/fielato/wsfev1/soap"
)

// Face is a form in which clients speak to the gateway.
type Face struct {
	Name string
	// IsSOAP is false for JSON. Version is the version of SOAP.
	IsSOAP  bool
	Version soap.Version
	number  int
}

// Faces are all of them.
var Faces = []Face{
	{Name: "JSON"},
	{Name: "SOAP 1.1", IsSOAP: true, Version: soap.V11, number: 1},
	{Name: "SOAP 1.2", IsSOAP: true, Version: soap.V12, number: 2},
}

// Post sends an operation, given in JSON, in the form and returns the answer.
func (f Face) Post(s *Site, operation, body string) Response {
	s.T.Helper()
	if !f.IsSOAP {
		return s.Post(operation, body)
	}
	return s.Call(f.Version, operation, body)
}

// Write writes a request, given in JSON, in the form.
func (f Face) Write(s *Site, operation, body string) string {
	s.T.Helper()
	if !f.IsSOAP {
		return body
	}
	return s.Message(f.Version, operation, body)
}

// PostText sends an operation as it is written in the form.
func (f Face) PostText(s *Site, operation, text string) Response {
	s.T.Helper()
	if !f.IsSOAP {
		return s.Post(operation, text)
	}
	return s.Send(f.Version, operation, text)
}

// Own returns a request of the tests with an issuer that the form has for itself, so that each
// has series of its own.
func (f Face) Own(body string) string {
	return strings.ReplaceAll(body, "20111111112", IssuerOf(2*f.number).String())
}

// Status returns the status of a refusal that has this one in JSON: a fault has always the same.
func (f Face) Status(status int) int {
	if f.IsSOAP && status != http.StatusOK {
		return http.StatusInternalServerError
	}
	return status
}

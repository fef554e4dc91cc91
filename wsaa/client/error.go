package client

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/fielato/fielato/wsaa"
)

// Advice is what to do after a login that failed.
type Advice uint8

// The advices.
const (
	// Retry: it may pass by itself. Log in again after a pause of a minute or more.
	Retry Advice = iota
	// Wait: the computer has a ticket that is valid, and gets no other for some minutes. Look for who
	// has it.
	Wait
	// Correct: the clocks differ. Log in again with the skew that was measured.
	Correct
	// Stop: it stays as it is until a person does something.
	Stop
)

// String returns the name of the advice.
func (a Advice) String() string {
	switch a {
	case Wait:
		return "wait"
	case Correct:
		return "correct"
	case Stop:
		return "stop"
	}
	return "retry"
}

// The codes of failures that are not faults of the login service. The codes of its faults are in
// package wsaa.
const (
	// NotSigned: the request could not be signed. The message was not sent.
	NotSigned = "request.notSigned"
	// Unreachable: there is no answer. The message may have arrived.
	Unreachable = "service.unreachable"
	// Unexpected: the answer is none of a login service.
	Unexpected = "service.unexpectedReply"
	// Unknown: a fault with a code that no specification has.
	Unknown = "service.unknownFault"
)

// Error is why a login failed. It repeats no credential and no part of the request.
type Error struct {
	// Code is the code of the fault, or one of this package. There are few of them: it may be the label
	// of a metric.
	Code   string
	Advice Advice
	// Text is the service's message: for a known fault in the words of the authority, otherwise a
	// short part of its text. It may be empty.
	Text string
	// Cure is what a person can do, empty for nothing.
	Cure string
	// Cause is nil for a fault.
	Cause error
}

// Error implements error.
func (e *Error) Error() string {
	text := "logging in at WSAA: " + e.Code
	if e.Text != "" {
		text += ": " + e.Text
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	if e.Cure != "" {
		text += ": " + e.Cure
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// unexpected returns the error of an answer that is none of a login service: a page of a proxy, a
// service that is starting.
func unexpected(status int, cause error) error {
	return &Error{
		Code: Unexpected, Advice: Retry, Cause: fmt.Errorf("status %d: %w", status, cause),
		Cure: "check the address of the login service, and what stands in front of it",
	}
}

// treatment is what to do after a fault.
type treatment struct {
	advice Advice
	cure   string
}

const (
	cureDefect  = "this is a defect of this program: report it"
	cureClock   = "set the clock of this machine (NTP)"
	cureAnother = "another program may have the ticket of this certificate: give it a certificate of its own, or let both use one"
)

// treatments has the faults that do not pass by themselves.
var treatments = map[string]treatment{
	wsaa.BadBase64:             {Stop, cureDefect},
	wsaa.BadCMS:                {Stop, cureDefect},
	wsaa.CertificateNotFound:   {Stop, cureDefect},
	wsaa.SignatureInvalid:      {Stop, "give the key that belongs to the certificate, RSA of 2048 bits or more"},
	wsaa.CertificateInvalid:    {Retry, "the certificate is newer than the authority's clock: wait some minutes"},
	wsaa.CertificateExpired:    {Stop, "request a new certificate at the authority's portal"},
	wsaa.CertificateUntrusted:  {Stop, "the certificate is of another environment, or was revoked: give one of this environment"},
	wsaa.BadXML:                {Stop, cureDefect},
	wsaa.VersionNotSupported:   {Stop, cureDefect},
	wsaa.SourceInvalid:         {Stop, cureDefect},
	wsaa.DestinationInvalid:    {Stop, cureDefect},
	wsaa.GenerationTimeInvalid: {Correct, cureClock},
	wsaa.ExpirationTimeExpired: {Correct, cureClock},
	wsaa.ExpirationTimeInvalid: {Correct, cureClock},
	wsaa.ServiceNotFound:       {Stop, "the service does not exist in this environment"},
	wsaa.NotAuthorized:         {Stop, "relate the certificate's computer to the service in the authority's portal (Administrador de Relaciones, or WSASS for testing)"},
	wsaa.AlreadyAuthenticated:  {Wait, cureAnother},
	wsaa.ServiceUnavailable:    {Retry, ""},
	wsaa.LoginUnavailable:      {Retry, ""},
	wsaa.LoginInternalError:    {Retry, ""},
}

// alreadyText is a part of the text of coe.alreadyAuthenticated, by which a fault is known whose
// code got lost on the way.
const alreadyText = "ya posee un TA"

// faultError returns the error of a fault.
func faultError(code, text string) error {
	code = strings.TrimSpace(code)
	if i := strings.LastIndexByte(code, ':'); i >= 0 {
		code = code[i+1:]
	}
	if _, known := treatments[code]; !known && strings.Contains(text, alreadyText) {
		code = wsaa.AlreadyAuthenticated
	}
	if _, known := treatments[code]; !known {
		return &Error{Code: Unknown, Advice: Retry, Text: shown(text), Cause: errors.New("code " + shown(code))}
	}
	return Fault(code)
}

// Fault returns the error of a fault by its code, nil if the login service has no such code.
func Fault(code string) *Error {
	how, known := treatments[code]
	if !known {
		return nil
	}
	return &Error{Code: code, Advice: how.advice, Text: wsaa.NewFault(code, nil).Text, Cure: how.cure}
}

// IsVerdict reports whether the code of a failed login says something about this side: its certificate,
// its relations, its clock. Otherwise the service was not reached, or is out of order.
func IsVerdict(code string) bool {
	switch code {
	case wsaa.ServiceUnavailable, wsaa.LoginUnavailable, wsaa.LoginInternalError:
		return false
	}
	return Fault(code) != nil
}

const (
	// maxShown is how many characters of a stranger's text are shown, and maxWord the longest word:
	// a longer one may be base64 of something secret.
	maxShown = 200
	maxWord  = 32
)

// shown returns a short printable part of a text, without words that may be credentials.
func shown(text string) string {
	if len(text) > 4*maxShown {
		text = text[:4*maxShown]
	}
	words := strings.FieldsFunc(strings.ToValidUTF8(text, "?"), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	for i, word := range words {
		if len(word) > maxWord {
			words[i] = "…"
		}
	}
	short := []rune(strings.Join(words, " "))
	if len(short) > maxShown {
		return string(short[:maxShown]) + "…"
	}
	return string(short)
}

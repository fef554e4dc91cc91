package audit

import (
	"cmp"
	"encoding/binary"
	"mime"
)

// The forms of a Leg.
const (
	// FormSOAP11 is SOAP 1.1, text/xml.
	FormSOAP11 = "soap11"
	// FormSOAP12 is SOAP 1.2, application/soap+xml.
	FormSOAP12 = "soap12"
	// FormJSON is JSON, for a service that got another request than the client's: completed by the
	// gateway. Its answer is the record's. An intent has the leg in this form even for a SOAP
	// service: the invoice that is found there later is compared with it.
	FormJSON = "json"
)

// Leg is an exchange as its client or the service saw it, where that speaks another form than
// JSON, or where the service got a completed request. The record's own Request and Answer are then the same exchange in JSON: one form in
// which every exchange can be read, compared and searched.
type Leg struct {
	// Form is FormSOAP11, FormSOAP12 or FormJSON, never empty.
	Form string
	// RequestLength is the length in bytes of the body as it was on the wire; so with the answer.
	RequestLength, AnswerLength int64
	// RequestType is the media type of the request, with the charset by which the body is read if
	// it declares none; empty where the client gave none that is known. For a client it is an
	// optional field of its own: a record without it has the same bytes as before there was one.
	RequestType string

	// RequestDigest is the SHA-256 of the body as it was on the wire; so with the answer. Like the
	// record's digests they are keyed where fields are hidden. All from here on is content.
	RequestDigest, AnswerDigest [32]byte
	// Request and Answer are the bodies with their credentials replaced. One in which the
	// credentials cannot be told from the rest is not kept.
	Request, Answer []byte
}

// Charset returns that parameter of RequestType, empty for none.
func (l *Leg) Charset() string {
	_, parameters, err := mime.ParseMediaType(l.RequestType)
	if err != nil {
		return ""
	}
	return parameters["charset"]
}

// RequestMediaType returns the media type of the request. Where none is recorded, it is the media
// type of the form.
func (l *Leg) RequestMediaType() string { return cmp.Or(l.RequestType, l.MediaType()) }

// MediaType returns the media type of the leg's form, which the answer has; empty for a form that is
// unknown.
func (l *Leg) MediaType() string {
	switch l.Form {
	case FormSOAP11:
		return "text/xml"
	case FormSOAP12:
		return "application/soap+xml"
	case FormJSON:
		return "application/json"
	}
	return ""
}

// appendSummary appends what stays of the leg when content is purged.
func (l *Leg) appendSummary(dst []byte) []byte {
	dst = appendText(dst, l.Form)
	dst = binary.AppendVarint(dst, l.RequestLength)
	return binary.AppendVarint(dst, l.AnswerLength)
}

// leg reads what appendSummary wrote. It refuses a leg without a form, which would be none.
func (d *decoder) leg() *Leg {
	l := &Leg{Form: d.text(), RequestLength: d.varint(), AnswerLength: d.varint()}
	if l.Form == "" {
		d.fail("form of a leg")
	}
	return l
}

// requestType reads the media type of the request. It refuses one of no leg, and an empty one.
func (d *decoder) requestType(l *Leg) {
	const what = "media type of the client's leg"
	text := d.present(what)
	if l == nil {
		d.fail(what)
		return
	}
	l.RequestType = text
}

// Size returns the bytes of both bodies, 0 for no leg.
func (l *Leg) Size() int {
	if l == nil {
		return 0
	}
	return len(l.Request) + len(l.Answer)
}

package evidence

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// pageLeg is a request or an answer of the client or of the service, beside the exchange's own.
type pageLeg struct {
	// Title is what it is, Media its media type.
	Title, Media, SHA256 string
	Length               int64
	// Text is the document, indented; empty if it is not kept.
	Text string
}

// legsOf returns the bodies of each leg, none where it is the exchange itself.
func legsOf(x *evidenceExchange) (legs []pageLeg) {
	r := x.requestRecord()
	if l := r.Client; l != nil {
		legs = append(legs, pageLeg{
			Title: "Pedido del cliente", Media: formText(l.Form, l.RequestMediaType()), SHA256: printable.Digest(l.RequestDigest),
			Length: l.RequestLength, Text: printable.XML(l.Request, l.Charset(), r),
		})
	}
	if l := x.record.Client; l != nil && x.record.Kind != audit.KindIntent {
		legs = append(legs, pageLeg{
			Title: "Respuesta al cliente", Media: formText(l.Form, l.MediaType()), SHA256: printable.Digest(l.AnswerDigest),
			Length: l.AnswerLength, Text: printable.XML(l.Answer, "", x.record),
		})
	}
	l := x.record.Service
	if l == nil && x.record.Certainty != audit.NotSent {
		l = r.Service // it was settled later, and the intent holds it
	}
	if l != nil {
		legs = append(legs, pageLeg{
			Title: "Pedido al servicio", Media: formText(l.Form, l.RequestMediaType()), SHA256: printable.Digest(l.RequestDigest),
			Length: l.RequestLength, Text: printable.ServiceRequest(l, x.requestRecord()),
		})
		if l.Form != audit.FormJSON { // else its answer is the exchange's
			legs = append(legs, pageLeg{
				Title: "Respuesta del servicio", Media: formText(l.Form, l.MediaType()), SHA256: printable.Digest(l.AnswerDigest),
				Length: l.AnswerLength, Text: printable.XML(l.Answer, "", x.record),
			})
		}
	}
	return legs
}

// formText names a form with its media type.
func formText(form, media string) string {
	switch form {
	case audit.FormSOAP11:
		return "SOAP 1.1, " + media
	case audit.FormSOAP12:
		return "SOAP 1.2, " + media
	case audit.FormJSON:
		return "JSON, " + media
	}
	return form
}

package story

import "github.com/fielato/fielato/audit"

// The bodies of an exchange, by the side that has them.
const (
	// PartRequest and PartAnswer are the exchange itself, in JSON.
	PartRequest = "request"
	PartAnswer  = "answer"
	// The client's are there if it speaks another form, the service's if that is another form or a completed
	// request.
	PartClientRequest  = "client-request"
	PartClientAnswer   = "client-answer"
	PartServiceRequest = "service-request"
	PartServiceAnswer  = "service-answer"
)

// Document is a body of an exchange, as a record keeps it.
type Document struct {
	Part string
	// Of is the record that has it.
	Of *audit.Record
	// Leg is the client's or the service's side, nil for the exchange itself.
	Leg    *audit.Leg
	Kept   []byte // without credentials; empty if it is not kept
	Length int64  // in bytes, as it was on the wire
	Digest [32]byte
	// Media is the media type of a leg with the name of its form. Charset is the charset of its request.
	Media, Charset string
	// Same: it is the client's, and is kept there.
	Same bool
}

// IsXML reports whether the document is a message of SOAP.
func (d *Document) IsXML() bool { return d.Leg != nil && d.Leg.Form != audit.FormJSON }

// Documents returns the bodies of an exchange, in the order in which they came.
func (x *Exchange) Documents() (all []Document) {
	request, result := x.Request(), x.Result()
	if l := request.Client; l != nil {
		all = append(all, requestOf(PartClientRequest, request, l))
	}
	all = append(all, Document{Part: PartRequest, Of: request, Kept: request.Request, Length: request.RequestLength, Digest: request.RequestDigest})
	service := result.Service
	if service == nil && result.Certainty != audit.NotSent {
		service = request.Service // it was settled later, and the intent holds it
	}
	if service != nil {
		all = append(all, serviceDocuments(service, result)...)
	}
	if result.Kind == audit.KindIntent {
		return all
	}
	all = append(all, Document{Part: PartAnswer, Of: result, Kept: result.Answer, Length: result.AnswerLength, Digest: result.AnswerDigest})
	if l := result.Client; l != nil {
		all = append(all, answerOf(PartClientAnswer, result, l))
	}
	return all
}

// serviceDocuments returns the request and the answer of the service.
func serviceDocuments(l *audit.Leg, of *audit.Record) []Document {
	request, answer := requestOf(PartServiceRequest, of, l), answerOf(PartServiceAnswer, of, l)
	if l.Form == audit.FormJSON { // its answer is the exchange's
		return []Document{request}
	}
	return []Document{request, answer}
}

func requestOf(part string, of *audit.Record, l *audit.Leg) Document {
	return Document{
		Part: part, Of: of, Leg: l, Kept: l.Request, Length: l.RequestLength, Digest: l.RequestDigest,
		Media: FormName(l.Form, l.RequestMediaType()), Charset: l.Charset(),
		Same: l != of.Client && len(l.Request) == 0 && of.Client != nil && of.Client.RequestDigest == l.RequestDigest,
	}
}

func answerOf(part string, of *audit.Record, l *audit.Leg) Document {
	return Document{
		Part: part, Of: of, Leg: l, Kept: l.Answer, Length: l.AnswerLength, Digest: l.AnswerDigest, Media: FormName(l.Form, l.MediaType()),
		Same: l != of.Client && len(l.Answer) == 0 && of.Client != nil && of.Client.AnswerDigest == l.AnswerDigest,
	}
}

// Document returns one body of an exchange, nil if there is none.
func (x *Exchange) Document(part string) *Document {
	for _, d := range x.Documents() {
		if d.Part == part {
			return &d
		}
	}
	return nil
}

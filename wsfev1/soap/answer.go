package soap

import (
	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// Answer is the service's answer.
type Answer struct {
	Operation *wsfev1.Operation
	Version   Version
	// Body is a pointer to the operation's answer type, nil where there is a Fault.
	Body any
	// Fault is nil for an answer.
	Fault *Fault
	Info  Info
	// Encoding is how the characters of the message are written.
	Encoding xmlscan.Encoding
	// Findings are where the answer deviates from its shape. What could not be read has its
	// zero value.
	Findings []Finding
	// Ambiguous is what a client might read differently. Such an answer must not be passed on.
	Ambiguous Constructs
}

// Parse reads an answer to the operation, or a fault. charset is that parameter of the media type,
// or no text. An error, which is an *Error, is no answer: what it means for the request is not
// known. Neither is an answer with findings one.
func Parse(op *wsfev1.Operation, body []byte, charset string) (*Answer, error) {
	p, ok := plans[op]
	if !ok {
		return nil, &Error{Problem: NoOperation}
	}
	e, err := Open(body, charset)
	if err != nil {
		return nil, err
	}
	r, err := e.take()
	if err != nil {
		return nil, err
	}
	defer r.release()
	answer := &Answer{Operation: op, Version: e.Version, Info: e.Info, Encoding: e.Encoding}
	r.decoder.reset(e.text, nil)
	switch {
	case e.fault:
		r.decoder.root = "/Envelope/Body/Fault"
		answer.Fault = new(Fault)
		if err := answer.Fault.read(&r.scan); err != nil {
			r.decoder.fail(err)
		}
	case e.Element == op.Name+"Response":
		answer.Body = op.NewAnswer()
		v, _ := typed.Of(op.Answer, answer.Body) // it is of that type, as the table of operations has it
		r.decoder.root = "/Envelope/Body/" + op.Name + "Response/" + op.Name + "Result"
		if err := r.decoder.result(op, p.answer, v); err != nil {
			r.decoder.fail(err)
		}
	default:
		return nil, &Error{Problem: NoAnswer}
	}
	if len(r.decoder.findings) == 0 {
		if err := r.decoder.rest(e); err != nil {
			r.decoder.fail(err)
		}
	}
	answer.Findings, answer.Ambiguous = r.decoder.findings, r.decoder.constructs(e)&ofAnswers
	if answer.Fault != nil {
		answer.Ambiguous &= ConstructEncoding // a client reads no more than its text
	}
	return answer, nil
}

// result reads the wrapper of an answer, whose start tag was read, and the result in it.
func (d *decoder) result(op *wsfev1.Operation, p *plan, v typed.Value) error {
	found := false
	for {
		kind, err := nextTag(d.scan)
		if err != nil {
			return err
		}
		switch {
		case kind == xmlscan.End:
			if !found {
				d.find(CodeMissing)
			}
			return nil
		case d.scan.Space() != inService || string(d.scan.Local()) != op.Name+"Result":
			d.passOver()
			err = d.scan.Skip()
		case found:
			d.find(CodeDuplicate)
			err = d.scan.Skip()
		default:
			found = true
			err = d.object(p, v)
		}
		if err != nil {
			return err
		}
	}
}

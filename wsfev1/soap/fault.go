package soap

import (
	"bytes"

	"github.com/fielato/fielato/internal/xmlscan"
)

// FaultCode is the cause of a fault, by its name in SOAP 1.1.
type FaultCode string

// The codes of faults. SOAP 1.2 calls the first two Sender and Receiver.
const (
	Client          FaultCode = "Client"
	Server          FaultCode = "Server"
	VersionMismatch FaultCode = "VersionMismatch"
	MustUnderstand  FaultCode = "MustUnderstand"
)

// in returns the name of the code in a version.
func (c FaultCode) in(version Version) string {
	if version == V12 {
		switch c {
		case Client:
			return "Sender"
		case Server, "":
			return "Receiver"
		}
	}
	if c == "" {
		return string(Server)
	}
	return string(c)
}

// Fault is an answer that says why there is none.
type Fault struct {
	Code FaultCode
	// Subcode is what follows the code after a dot, or the first Subcode of SOAP 1.2.
	Subcode string
	Text    string
	// Detail are elements of text within the detail. One that is read has none but these.
	Detail []Detail
	// Causes are written into the detail too, and not read.
	Causes []Cause
}

// Detail is one element of a fault's detail.
type Detail struct{ Name, Text string }

// AppendFault appends a fault in the form of the service. It has no FEHeaderInfo. It travels with
// HTTP status 500, or clients do not show its text.
func AppendFault(b []byte, version Version, fault Fault) []byte {
	b = append(appendEnvelope(b, version), "<soap:Body><soap:Fault>"...)
	code := fault.Code.in(version)
	if version == V12 {
		b = append(b, "<soap:Code><soap:Value>soap:"...)
		b = append(xmlscan.AppendText(b, code), `</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">`...)
		b = append(xmlscan.AppendText(b, fault.Text), "</soap:Text></soap:Reason>"...)
	} else {
		b = append(b, "<faultcode>soap:"...)
		b = append(xmlscan.AppendText(b, code), "</faultcode><faultstring>"...)
		b = append(xmlscan.AppendText(b, fault.Text), "</faultstring>"...)
	}
	b = fault.appendDetail(b, detailName(version))
	return append(b, "</soap:Fault></soap:Body></soap:Envelope>"...)
}

func (f Fault) appendDetail(b []byte, name string) []byte {
	if len(f.Detail)+len(f.Causes) == 0 {
		return append(append(append(b, '<'), name...), " />"...)
	}
	b = append(append(append(b, '<'), name...), '>')
	for _, d := range f.Detail {
		if xmlscan.IsName(d.Name) {
			b = appendElement(b, d.Name, d.Text)
		}
	}
	for _, c := range f.Causes {
		b = c.append(b)
	}
	return append(append(append(b, "</"...), name...), '>')
}

// read reads a fault, whose start tag was read, to its end tag.
func (f *Fault) read(s *xmlscan.Scanner) error {
	for {
		kind, err := nextTag(s)
		if err != nil || kind == xmlscan.End {
			return err
		}
		switch string(s.Local()) {
		case "faultcode":
			err = f.readCode(s)
		case "Code":
			err = f.readCodes(s)
		case "faultstring":
			err = readInto(&f.Text, s)
		case "Reason":
			err = f.readReason(s)
		case "detail", "Detail":
			err = f.readDetail(s)
		default:
			err = s.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func readInto(text *string, s *xmlscan.Scanner) error {
	read, err := s.Content()
	if err == nil && *text == "" {
		*text = string(read)
	}
	return err
}

// readCode reads a qualified name, of which the prefix says nothing.
func (f *Fault) readCode(s *xmlscan.Scanner) error {
	text, err := s.Content()
	if err != nil {
		return err
	}
	text = xmlscan.TrimSpace(text)
	if i := bytes.IndexByte(text, ':'); i >= 0 {
		text = text[i+1:]
	}
	code, subcode, _ := bytes.Cut(text, []byte("."))
	if f.Code != "" {
		if f.Subcode == "" {
			f.Subcode = string(text)
		}
		return nil
	}
	f.Subcode = string(subcode)
	switch string(code) {
	case "Sender":
		f.Code = Client
	case "Receiver":
		f.Code = Server
	default:
		f.Code = FaultCode(code)
	}
	return nil
}

// readCodes reads the Code of SOAP 1.2: a Value, and a Subcode that has one too.
func (f *Fault) readCodes(s *xmlscan.Scanner) error {
	for depth := s.Depth(); s.Depth() >= depth; {
		kind, err := nextTag(s)
		if err == nil && kind == xmlscan.Start && string(s.Local()) == "Value" {
			err = f.readCode(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readReason reads the first Text of a Reason.
func (f *Fault) readReason(s *xmlscan.Scanner) error {
	for depth := s.Depth(); s.Depth() >= depth; {
		kind, err := nextTag(s)
		if err == nil && kind == xmlscan.Start {
			err = readInto(&f.Text, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxDetail bounds the elements of a detail that are kept.
const maxDetail = 20

// readDetail reads the elements of a detail. Text between them is passed over.
func (f *Fault) readDetail(s *xmlscan.Scanner) error {
	for depth := s.Depth(); s.Depth() >= depth; {
		kind, err := s.Next()
		if err != nil {
			return err
		}
		if kind != xmlscan.Start {
			continue
		}
		d := Detail{Name: string(s.Local())}
		if err := readInto(&d.Text, s); err != nil {
			return err
		}
		if len(f.Detail) < maxDetail {
			f.Detail = append(f.Detail, d)
		}
	}
	return nil
}

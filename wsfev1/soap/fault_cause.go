package soap

import (
	"bytes"

	"github.com/fielato/fielato/internal/xmlscan"
)

// FaultNamespace is the namespace of Fielato's own elements in the detail of a fault.
const FaultNamespace = "https://github.com/fielato/fielato/fault"

// Cause is one thing that is wrong, for programs that read the detail of a fault.
type Cause struct {
	// Code is Fielato's own, such as upstream.not_sent.
	Code string
	// Pointer and Path are the place in the request, as in a Finding. Both are empty for none.
	Pointer, Path string
}

// append appends the cause as an element Error.
func (c Cause) append(b []byte) []byte {
	b = append(b, `<Error xmlns="`+FaultNamespace+`">`...)
	b = appendElement(b, "Code", c.Code)
	if c.Pointer != "" {
		b = appendElement(b, "Pointer", c.Pointer)
	}
	if c.Path != "" {
		b = appendElement(b, "Path", c.Path)
	}
	return append(b, "</Error>"...)
}

// WithRecord returns a fault that AppendFault has written with causes, and as the last element of its
// detail the address of its record. The address is known only after the fault was recorded.
func WithRecord(fault []byte, version Version, address string) []byte {
	closing := []byte("</" + detailName(version) + ">")
	at := bytes.LastIndex(fault, closing)
	if at < 0 {
		return fault
	}
	const open, closed = `<Record xmlns="` + FaultNamespace + `">`, "</Record>"
	b := make([]byte, 0, len(fault)+len(open)+len(address)+len(closed))
	b = append(append(b, fault[:at]...), open...)
	b = append(xmlscan.AppendText(b, address), closed...)
	return append(b, fault[at:]...)
}

func detailName(version Version) string {
	if version == V12 {
		return "soap:Detail"
	}
	return "detail"
}

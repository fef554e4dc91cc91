package printable

import (
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// PathOf returns where a finding is in the XML of a client that speaks SOAP. It is empty for any other
// client, and for a finding about the answer.
func PathOf(r *audit.Record, f *audit.Finding) string {
	if r.Client == nil || strings.HasPrefix(f.Code, "answer.") {
		return ""
	}
	return soap.PathOf(wsfev1.OperationByName(r.Operation), f.Pointer)
}

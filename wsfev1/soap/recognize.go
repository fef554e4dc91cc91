package soap

import (
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// IsFault reports whether the Body holds a fault, which answers any operation.
func (e *Envelope) IsFault() bool { return e != nil && e.fault }

// Answered returns the operation that the message is an answer to, nil if it is none or a fault.
func (e *Envelope) Answered() *wsfev1.Operation {
	if e == nil {
		return nil
	}
	name, found := strings.CutSuffix(e.Element, "Response")
	if !found {
		return nil
	}
	return wsfev1.OperationByName(name)
}

package record

import (
	"fmt"

	"github.com/fielato/fielato/audit"
)

// maxLostAnswer is the maximum size in bytes of a recorded unusable answer.
const maxLostAnswer = 64 << 10

// HowLost returns how the answer was lost, and its text if that may be recorded. Only the
// record shows a broken proxy or a wrong path: the client does not get the answer.
func (f *Facts) HowLost() (how, said string) {
	if f.Result.Refusal != nil {
		return f.Detail(), ""
	}
	came := f.Result.Reply
	how = fmt.Sprintf("the upstream's answer is not the operation's: status %d, %s", came.Status, came.Form())
	switch {
	case f.Sent.Refuses():
		how = fmt.Sprintf("the upstream's answer, status %d, %s, says that nothing was carried out, and does not prove it", came.Status, came.Form())
	case f.Result.Outcome == audit.OutcomeRejected:
		how = "the upstream rejects the request, and may have carried it out before"
	}
	if kept, ok := f.Redact(came.Body, false); ok && len(kept) <= maxLostAnswer {
		return how, string(kept)
	}
	return how, ""
}

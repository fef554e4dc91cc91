package record

import (
	"net/http"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/wsfev1"
)

// Result is how an exchange ends for its client.
type Result struct {
	Outcome   audit.Outcome
	Certainty audit.Certainty
	// Refusal refuses the request, nil for an answer. Reply is the answer in JSON, also of a refusal.
	Refusal *binding.Refusal
	Reply   binding.Reply
	// Typed is the service's answer, nil for any other, and Read the body that it was read from.
	Typed   any
	Read    []byte
	Verdict wsfev1.Verdict
	// WellFormed: Reply has the operation's shape.
	WellFormed bool
	// Reading is the proof that the answer gives about a request that changes something.
	Reading outcome.Reading
	// Repeated: the answer repeats an earlier exchange's. Cached describes a cached answer, empty if it is
	// none. Origin is the address of the record that the answer is from, empty while that is owed.
	Repeated       bool
	Cached, Origin string
	// Lost is how the answer was lost for which the service was queried, LostAnswer the unusable answer as it
	// may be recorded; both empty for none.
	Lost, LostAnswer string
}

// Refuse ends the exchange with a refusal. It returns false: the exchange does not go on.
func (r *Result) Refuse(f *binding.Refusal) bool {
	r.Refusal = f
	return false
}

// Compose ends the exchange with an answer in the operation's own shape, which refuses. It returns false.
func (r *Result) Compose(answer any) bool {
	reply, err := binding.JSON(http.StatusOK, answer)
	if err != nil {
		return r.Refuse(binding.Internal(err))
	}
	r.Reply, r.Verdict, r.Outcome = reply, wsfev1.VerdictOf(answer), audit.OutcomeRefused
	r.WellFormed = true
	return false
}

// Answered takes the service's answer, as it was read, for the result.
func (f *Facts) Answered() {
	f.Result.Outcome, f.Result.Reply = f.Sent.Outcome, f.Sent.Reply
	f.Result.Typed, f.Result.Read, f.Result.Verdict = f.Sent.Typed, f.Sent.Read, f.Sent.Verdict
	f.Result.WellFormed, f.Result.Reading = f.Sent.WellFormed, f.Sent.Reading
}

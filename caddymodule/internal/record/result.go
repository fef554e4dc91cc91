package record

import (
	"net/http"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/send"
	"github.com/fielato/fielato/wsfev1"
)

// Result is how an exchange ends for its client.
type Result struct {
	// Answer is the client's, also for a refusal: the service's, unless the gateway has composed another.
	send.Answer
	Certainty audit.Certainty
	// Refusal refuses the request, nil for an answer.
	Refusal *binding.Refusal
	// Passed is Facts.PassedOn when the reply was composed.
	Passed *binding.UpstreamLeg
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

package exchange

import (
	"cmp"
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/once/canonical"
	"github.com/fielato/fielato/wsfev1"
)

// idempotencyHeader is the header of the IETF draft draft-ietf-httpapi-idempotency-key-header.
const idempotencyHeader = "Idempotency-Key"

// marker makes the fingerprints by which a repeat of a request is found.
type marker struct {
	trail     *trail.Trail
	operation *wsfev1.Operation
	// size is the size of the request, and so nearly the size of its canonical form.
	size int
}

func markerOf(f *record.Facts, t *trail.Trail) marker {
	return marker{t, f.Decision.Operation, len(f.Decision.Body)}
}

// of returns the fingerprint of a request.
func (m marker) of(body any) [16]byte {
	return m.trail.Redactor.MarkOf(m.operation.Name, m.size, func(b []byte) []byte { return canonical.Append(b, body) })
}

// older returns how the store may have the fingerprints of these bodies from earlier builds. They are made when
// they are needed first.
func (m marker) older(bodies ...any) func() [][16]byte {
	name, redactor, forms := m.operation.Name, m.trail.Redactor, m.trail.Forms
	return sync.OnceValue(func() (all [][16]byte) {
		for _, body := range slices.Compact(bodies) { // nothing was filled in: they are one
			for _, text := range forms.AppendOlder(nil, body) {
				all = append(all, redactor.Mark(name, string(text)))
			}
		}
		return all
	})
}

// request returns the request of a turn, and sets its marks. The fingerprint is of the request as it came: a
// repeat has the same, whatever would be filled in by now. keys are the values of the header Idempotency-Key.
func (m marker) request(f *record.Facts, keys []string, policy once.Policy) (*once.Request, *binding.Refusal) {
	came := f.Decision.Request.Body
	sent, _ := f.Outgoing()
	key, _ := once.KeyOf(m.operation, sent.Body)
	f.Marks.Fingerprint = m.of(came)
	request := &once.Request{
		Operation: m.operation, Body: sent.Body, Key: key, Fingerprint: f.Marks.Fingerprint, TraceID: f.Trace, Policy: policy,
		Doubtful: len(f.Decision.Deferred) > 0,
	}
	if f.Decision.Completed != nil {
		f.Marks.Sent = m.of(sent.Body)
		request.SentFingerprint = f.Marks.Sent
	}
	if m.trail.Forms.HasOlder() {
		request.OlderFingerprints = m.older(came, sent.Body)
	}
	if len(keys) > 1 {
		return nil, binding.ManyIdempotencyKeys()
	}
	if text := strings.Join(keys, ""); text != "" {
		if len(text) > binding.MaxIdempotencyKey {
			return nil, binding.BadIdempotencyKey()
		}
		of := []string{idempotencyHeader, key.Cuit.String(), text}
		if name := f.Sender.Name(); name != "" {
			of = append(of, name) // a key is its client's
		}
		request.IdempotencyKey = f.Redactor.Mark(of...)
		f.Marks.IdempotencyKey = request.IdempotencyKey
	}
	return request, nil
}

// replyOf returns the reply that an earlier exchange had, and the address of its record, empty while that is
// owed. It reports false where nothing of the reply is left.
func replyOf(result *once.Result, asked any) (_ binding.Reply, origin string, ok bool) {
	if first, shared := result.Reply.(sharedReply); shared {
		if first.refuses {
			return first.reply, first.origin, true
		}
		return first.reply.ForOthers(), first.origin, true
	}
	reply, ok := replyFrom(result.Kept, asked)
	if r := result.Kept; ok && r.Log != "" { // else it is owed, and has no place yet
		origin = r.Address()
	}
	return reply, origin, ok
}

// replyFrom makes the answer of an exchange of the trail: its very bytes, or as much as is left
// where retention or redaction has taken something away. It reports false where that is
// nothing.
func replyFrom(r *audit.Record, asked any) (binding.Reply, bool) {
	if len(r.Answer) > 0 && sha256.Sum256(r.Answer) == r.AnswerDigest {
		return binding.Reply{Status: cmp.Or(r.Status, http.StatusOK), Header: http.Header{"Content-Type": {"application/json"}}, Body: r.Answer}, true
	}
	answer := once.AnswerFrom(r, asked)
	if answer == nil {
		return binding.Reply{}, false
	}
	reply, err := binding.JSON(http.StatusOK, answer)
	return reply, err == nil
}

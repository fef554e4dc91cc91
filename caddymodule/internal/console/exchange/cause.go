package exchange

import (
	"strings"

	"github.com/fielato/fielato/audit"
)

// olderCauses are texts in the inner error of a record without Cause, in small letters. Builds before
// 2026-12 wrote such records. The first that fits counts.
var olderCauses = []struct {
	cause audit.Cause
	marks []string
}{
	{audit.CauseUnreachable, []string{"connection refused", "no route to host", "network is unreachable"}},
	{audit.CauseDNS, []string{"no such host", "server misbehaving"}},
	{audit.CauseTLS, []string{"x509:", "tls:", "certificate"}},
	{audit.CauseTimeout, []string{"timeout", "timed out", "deadline exceeded"}},
	{audit.CauseCut, []string{"broke off", "connection reset", " eof", "broken pipe", "closed network connection", "connection closed", "stream error", "goaway"}},
	{audit.CauseCanceled, []string{"context canceled"}},
}

// causeOf returns why there was no answer; empty where the record does not say.
func causeOf(r *audit.Record) audit.Cause {
	if r.Cause != "" {
		return r.Cause
	}
	detail := " " + strings.ToLower(r.Detail)
	for _, older := range olderCauses {
		for _, mark := range older.marks {
			if strings.Contains(detail, mark) {
				return older.cause
			}
		}
	}
	return ""
}

// silence returns the step for an answer that did not come: one that came too late or broke off is told
// apart from one that never began.
func silence(r *audit.Record) string {
	switch causeOf(r) {
	case audit.CauseTimeout:
		return "late"
	case audit.CauseCut:
		return "cut"
	}
	return "silence"
}

// explain adds why a step ended as it did: in words, where they are known, and as the gateway has written
// it. told: the words of the step say it already.
func (t *teller) explain(s *step, r *audit.Record, told bool) {
	s.Quote = t.p.quoted(r.Detail)
	if cause := causeOf(r); cause != "" && !told {
		s.Cause = t.p.T("cause." + string(cause))
	}
}

// noteBuiltIn returns the key of the note that the built-in test service was asked, which answered or not.
func noteBuiltIn(r *audit.Record) string {
	switch r.Certainty {
	case audit.Answered:
		return "builtin"
	case audit.NotSent:
		return "builtin_unasked"
	}
	return "builtin_asked"
}

package exchange

import (
	"strings"

	"github.com/fielato/fielato/audit"
)

// causes are what the inner error of a record may contain, in small letters, and what that means. The
// first that fits counts.
var causes = []struct {
	key   string
	marks []string
}{
	{"unreachable", []string{"connection refused", "no route to host", "network is unreachable"}},
	{"name", []string{"no such host", "server misbehaving"}},
	{"tls", []string{"x509:", "tls:", "certificate"}},
	{"late", []string{"timeout", "timed out", "deadline exceeded"}},
	{"cut", []string{"broke off", "connection reset", " eof", "broken pipe", "closed network connection", "connection closed", "stream error", "goaway"}},
	{"gone", []string{"context canceled"}},
}

// causeOf reads from an inner error why there was no answer; empty where it does not say.
func causeOf(detail string) string {
	detail = " " + strings.ToLower(detail)
	for _, cause := range causes {
		for _, mark := range cause.marks {
			if strings.Contains(detail, mark) {
				return cause.key
			}
		}
	}
	return ""
}

// silence returns the step for an answer that did not come: one that came too late or broke off is told
// apart from one that never began.
func silence(r *audit.Record) string {
	switch cause := causeOf(r.Detail); cause {
	case "late", "cut":
		return cause
	}
	return "silence"
}

// explain adds why a step ended as it did: in words, where they are known, and as the gateway has written
// it. told: the words of the step say it already.
func (t *teller) explain(s *step, r *audit.Record, told bool) {
	s.Quote = t.p.quoted(r.Detail)
	if cause := causeOf(r.Detail); cause != "" && !told {
		s.Cause = t.p.T("cause." + cause)
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

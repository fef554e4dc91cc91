package story

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
	{audit.CauseRejected, []string{"the upstream rejects the request, and may have carried it out before"}},
	{audit.CauseUnreachable, []string{"connection refused", "no route to host", "network is unreachable"}},
	{audit.CauseDNS, []string{"no such host", "server misbehaving"}},
	{audit.CauseTLS, []string{"x509:", "tls:", "certificate"}},
	{audit.CauseTimeout, []string{"timeout", "timed out", "deadline exceeded"}},
	{audit.CauseCut, []string{"broke off", "connection reset", " eof", "broken pipe", "closed network connection", "connection closed", "stream error", "goaway"}},
	{audit.CauseCanceled, []string{"context canceled"}},
}

// CauseOf returns why there was no answer that settles the request; empty where the record does not say.
func CauseOf(r *audit.Record) audit.Cause {
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

// silenceOf returns the kind of event for an answer that did not come, or settled nothing: one that came too late or
// broke off is told apart from one that never began, and from a rejection in doubt.
func silenceOf(r *audit.Record) string {
	switch CauseOf(r) {
	case audit.CauseRejected:
		return "disputed"
	case audit.CauseTimeout:
		return "late"
	case audit.CauseCut:
		return "cut"
	}
	return "silence"
}

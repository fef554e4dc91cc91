package audittest

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Golden returns the records whose forms and lines are kept in testdata, by name.
func Golden() map[string]*audit.Record {
	source := NewSource(42)
	issued := source.Issue(2)
	source.Answer(issued)
	issued.Kind, issued.Intent = audit.KindOutcome, 300
	return map[string]*audit.Record{
		"empty": {Kind: audit.KindOutage},
		"settled-for-another": {
			Kind: audit.KindSettlement, ID: "x", Intent: 17, IntentLog: "edge-1", Time: time.UnixMicro(1).UTC(),
			Node: "edge-2", Outcome: "recovered", Certainty: audit.Answered,
		},
		"lot": issued,
		"purge": {
			Kind: audit.KindAccess, ID: "p", Time: time.UnixMicro(1).UTC(), Node: "edge-1", ClientIdentity: "ana@host",
			Outcome: audit.AccessPurge, Salt: [16]byte{9}, Detail: "audit purge --before=2016-08",
			Purge: &audit.PurgeScope{
				Before: 24199, First: 3, Next: 1 << 40, Records: 130, HeldRecords: 2, Held: []wsfev1.CUIT{20111111112, 30000000007},
			},
		},
		"purge-overridden": {
			Kind: audit.KindAccess, ID: "p", Time: time.UnixMicro(1).UTC(), Node: "edge-1", ClientIdentity: "ana@host",
			Outcome: audit.AccessPurge, Salt: [16]byte{9}, Detail: "audit purge --before=2016-08",
			Purge: &audit.PurgeScope{
				Before: 24199, Next: 40, Records: 130, Held: []wsfev1.CUIT{20111111112},
				Retention: &audit.PurgeRetention{Years: 12, Override: "cierre de la sociedad, acta 7"},
			},
		},
		"traced": {
			Kind: audit.KindExchange, ID: "t", Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FEDummy",
			Certainty: audit.Answered, TraceID: [16]byte{0x4b, 0xf9, 0x2f, 15: 0x36},
		},
		"traced-with-all-fields": {
			Kind: audit.KindAccess, ID: "a", Intent: 17, IntentLog: "edge-1", Time: time.UnixMicro(1).UTC(),
			Purge: &audit.PurgeScope{Before: 24199, First: 3, Next: 5}, TraceID: [16]byte{15: 1},
		},
		"soap": {
			Kind: audit.KindExchange, ID: "s", Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FEDummy",
			Certainty: audit.Answered, RequestLength: 2, AnswerLength: 2, Request: []byte("{}"), Answer: []byte("{}"),
			Client: &audit.Leg{
				Form: audit.FormSOAP11, RequestLength: 4, AnswerLength: 3, RequestDigest: [32]byte{1}, AnswerDigest: [32]byte{31: 2},
				Request: []byte("<a/>"), Answer: []byte{'<', 0xf1, '>'},
			},
		},
		"soap-with-its-media-type": {
			Kind: audit.KindIntent, ID: "s", Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FEDummy", TraceID: [16]byte{15: 1},
			Certainty: audit.Unknown, RequestLength: 2, Request: []byte("{}"),
			Client: &audit.Leg{
				Form: audit.FormSOAP12, RequestLength: 3, RequestDigest: [32]byte{1}, RequestType: "text/xml; charset=iso-8859-1",
				Request: []byte{'<', 0xf1, '>'},
			},
		},
		"soap-at-the-service": {
			Kind: audit.KindOutcome, ID: "s", Intent: 7, Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FEDummy",
			Certainty: audit.Answered, RequestLength: 2, AnswerLength: 2, Answer: []byte("{}"),
			Service: &audit.Leg{
				Form: audit.FormSOAP11, RequestType: "text/xml; charset=utf-8", RequestLength: 4, AnswerLength: 3,
				RequestDigest: [32]byte{1}, AnswerDigest: [32]byte{31: 2}, Request: []byte("<a/>"), Answer: []byte{'<', 0xf1, '>'},
			},
		},
		"soap-on-both-sides": {
			Kind: audit.KindExchange, ID: "s", Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FEDummy", TraceID: [16]byte{15: 1},
			Certainty: audit.Answered, RequestLength: 2, AnswerLength: 2, Request: []byte("{}"), Answer: []byte("{}"),
			Client: &audit.Leg{
				Form: audit.FormSOAP12, RequestLength: 4, AnswerLength: 4, RequestType: "text/xml; charset=iso-8859-1",
				RequestDigest: [32]byte{1}, AnswerDigest: [32]byte{2}, Request: []byte("<a/>"), Answer: []byte("<b/>"),
			},
			Service: &audit.Leg{Form: audit.FormSOAP12, RequestLength: 4, AnswerLength: 4, RequestDigest: [32]byte{1}, AnswerDigest: [32]byte{2}},
		},
		"sent-completed": {
			Kind: audit.KindIntent, ID: "f", Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FECAESolicitar",
			Certainty: audit.Unknown, Fingerprint: [16]byte{1}, SentFingerprint: [16]byte{15: 2},
		},
		"sent-completed-with-all-fields": {
			Kind: audit.KindOutcome, ID: "f", Intent: 17, IntentLog: "edge-1", Time: time.UnixMicro(1).UTC(), TraceID: [16]byte{15: 1},
			Fingerprint: [16]byte{1}, SentFingerprint: [16]byte{15: 2},
			Client:  &audit.Leg{Form: audit.FormSOAP12, RequestType: "text/xml; charset=iso-8859-1"},
			Service: &audit.Leg{Form: audit.FormJSON},
		},
		"answered-again": {
			Kind: audit.KindExchange, ID: "g", Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FECAESolicitar",
			Decision: audit.DecisionReplay, Outcome: audit.OutcomeReplayed, Certainty: audit.NotSent, Origin: "edge-1/17", Detail: "answered as record edge-1/17",
		},
		"without-an-answer": {
			Kind: audit.KindOutcome, ID: "h", Intent: 17, Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FECAESolicitar",
			Decision: audit.DecisionForward, Outcome: audit.OutcomeUnknown, Certainty: audit.Unknown, SentFingerprint: [16]byte{15: 2}, Cause: audit.CauseTimeout,
		},
		"of-a-client": {
			Kind: audit.KindIntent, ID: "i", Time: time.UnixMicro(1).UTC(), Node: "edge-1", ClientIdentity: "shop", Operation: "FECAESolicitar",
			Certainty: audit.Unknown, ClientTable: "edge-1/3", ClientRow: "shop",
		},
		"of-no-client": {
			Kind: audit.KindExchange, ID: "j", Time: time.UnixMicro(1).UTC(), Node: "edge-1", Decision: audit.DecisionRefuse,
			Outcome: audit.OutcomeInadmissible, Certainty: audit.NotSent, Status: 403, ClientTable: "edge-1/3",
		},
		"of-a-kept-ticket": {
			Kind: audit.KindIntent, ID: "k", Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FECAESolicitar",
			Certainty: audit.Unknown, Certificate: "erp, CUIT 20111111112, until 2027-03-31",
		},
		"a-reading": {
			Kind: audit.KindAccess, ID: "k", Time: time.UnixMicro(1).UTC(), Duration: time.Hour, Node: "edge-1", ClientAddress: "192.0.2.1",
			ClientIdentity: "contadora", Way: audit.WayConsole, Detail: "console today 2026-11-22",
		},
		"in-production": {
			Kind: audit.KindOutcome, ID: "l", Intent: 17, Time: time.UnixMicro(1).UTC(), Node: "edge-1", Operation: "FECAESolicitar",
			Decision: audit.DecisionForward, Outcome: audit.OutcomeApproved, Certainty: audit.Answered, Upstream: "proxy.internal:443",
			Environment: audit.EnvironmentProduction,
		},
		"extremes": {
			Kind: audit.KindIntent, ID: "ñ", Intent: 1<<64 - 1, Time: time.UnixMicro(-1).UTC(), Duration: -1,
			Node: "n", ClientAddress: "2001:db8::1", ClientIdentity: "CN=a", Operation: "FEDummy",
			Cuit: 1<<63 - 1, PtoVta: -1 << 31, CbteTipo: 1<<31 - 1,
			Vouchers:  []audit.Voucher{{CbteDesde: -1 << 63, CbteHasta: 1<<63 - 1, Code: "c", Expires: "20261201", Resultado: "R"}},
			Resultado: "P", Decision: "refuse", Outcome: "o", Certainty: audit.NotSent,
			Findings: []audit.Finding{{Code: "code", Severity: "ERR", Pointer: "/a", Action: "refuse", Text: "text", Expected: "1", Got: "2", Tolerance: "0.01", Difference: "1"}, {}},
			Salt:     [16]byte{1, 2, 3},
			Status:   503, Upstream: "u", Detail: "d",
			RequestDigest: [32]byte{31: 1}, AnswerDigest: [32]byte{0: 1},
			RequestLength: 1, AnswerLength: -1, Request: []byte("{}"), Answer: []byte{0, 255},
		},
	}
}

// AnyRecord draws a record with any values in its fields.
func AnyRecord(t *rapid.T) *audit.Record {
	text := func(name string) string { return rapid.String().Draw(t, name) }
	number := func(name string) int64 { return rapid.Int64().Draw(t, name) }
	body := func(name string) []byte { return append([]byte(nil), rapid.SliceOf(rapid.Byte()).Draw(t, name)...) }
	r := &audit.Record{
		Kind: audit.Kind(rapid.IntRange(1, 6).Draw(t, "kind")), ID: text("id"), Intent: rapid.Uint64().Draw(t, "intent"), IntentLog: text("intent log"),
		Time: time.UnixMicro(number("time")).UTC(), Duration: time.Duration(number("duration")),
		Node: text("node"), ClientAddress: text("address"), ClientIdentity: text("identity"),
		Operation: text("operation"), Cuit: wsfev1.CUIT(number("cuit")),
		PtoVta: rapid.Int32().Draw(t, "pto"), CbteTipo: rapid.Int32().Draw(t, "tipo"),
		Resultado: text("resultado"), Decision: audit.Decision(text("decision")), Outcome: audit.Outcome(text("outcome")),
		Certainty: audit.Certainty(text("certainty")), Status: int(rapid.Int32().Draw(t, "status")),
		Upstream: text("upstream"), Detail: text("detail"), Origin: text("origin"), Cause: audit.Cause(text("cause")),
		ClientTable: text("table of clients"), ClientRow: text("row of the client"), Certificate: text("certificate"), Way: audit.Way(text("way")), Environment: audit.Environment(text("environment")),
		RequestLength: number("request length"), AnswerLength: number("answer length"),
		Request: body("request"), Answer: body("answer"),
	}
	copy(r.Salt[:], body("salt"))
	copy(r.Fingerprint[:], body("fingerprint"))
	copy(r.IdempotencyKey[:], body("idempotency key"))
	copy(r.SentFingerprint[:], body("fingerprint of what was sent"))
	copy(r.TraceID[:], body("trace identifier"))
	for _, side := range []**audit.Leg{&r.Client, &r.Service} {
		if !rapid.Bool().Draw(t, "leg") {
			continue
		}
		l := &audit.Leg{
			Form: "soap" + text("form"), RequestType: text("request type"), // without a form it is no leg
			RequestLength: number("request length"), AnswerLength: number("answer length"), Request: body("request"), Answer: body("answer"),
		}
		copy(l.RequestDigest[:], body("request digest"))
		copy(l.AnswerDigest[:], body("answer digest"))
		*side = l
	}
	copy(r.RequestDigest[:], body("request digest"))
	copy(r.AnswerDigest[:], body("answer digest"))
	for range rapid.IntRange(0, 3).Draw(t, "vouchers") {
		r.Vouchers = append(r.Vouchers, audit.Voucher{
			CbteDesde: number("desde"), CbteHasta: number("hasta"), Code: text("code"), Expires: text("expires"), Resultado: text("resultado"),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "findings") {
		r.Findings = append(r.Findings, audit.Finding{
			Code: text("code"), Severity: text("severity"), Pointer: text("pointer"), Action: text("action"),
			Text: text("text"), Expected: text("expected"), Got: text("got"), Tolerance: text("tolerance"), Difference: text("difference"),
		})
	}
	if r.Kind == audit.KindAccess && rapid.Bool().Draw(t, "purge") {
		r.Purge = &audit.PurgeScope{Before: audit.Period(rapid.Int32().Draw(t, "before")), First: rapid.Uint64().Draw(t, "first"), Next: 7}
		for range rapid.IntRange(0, 3).Draw(t, "held") {
			r.Purge.Held = append(r.Purge.Held, wsfev1.CUIT(number("held cuit")))
		}
		if years := rapid.Uint64().Draw(t, "years"); years != audit.DefaultRetention && rapid.Bool().Draw(t, "retention") {
			r.Purge.Retention = &audit.PurgeRetention{Years: years, Override: text("override")}
		}
	}
	return r
}

// Purged returns a record and its form as they are once its content was purged.
func Purged(t testing.TB, r *audit.Record) (*audit.Record, audit.Form) {
	t.Helper()
	form := audit.Form{Summary: r.Encode(nil).Summary, Presence: audit.Purged}
	summary, err := audit.Decode(form)
	if err != nil {
		t.Fatal(err)
	}
	summary.Log, summary.Index = r.Log, r.Index
	return summary, form
}

package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
	"github.com/fielato/fielato/wsfev1"
)

var update = flag.Bool("update", false, "write the golden files; a changed one is a new version of the form")

// golden are the records whose forms are kept in testdata.
func golden() map[string]*audit.Record {
	source := audittest.NewSource(42)
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

func TestEncodeGivesTheGoldenForm(t *testing.T) {
	for name, r := range golden() {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".hex")
			form := r.Encode(nil)
			text := hex.EncodeToString(form.Summary) + "\n" + hex.EncodeToString(form.Content) + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if text != string(want) {
				t.Errorf("the form of this record changed:\n got %s\nwant %s", text, want)
			}
			if got, err := audit.Decode(form); err != nil || !reflect.DeepEqual(got, r) {
				t.Errorf("decoded %+v, %v\nwant %+v", got, err, r)
			}
		})
	}
}

func TestEncodeAppendsAndLeavesPositionOut(t *testing.T) {
	r := golden()["lot"]
	before := r.Encode(nil)
	r.Log, r.Index = "gateway-1", 7
	got := r.Encode(append(make([]byte, 0, 1<<16), "prefix"...))
	if !reflect.DeepEqual(got, before) {
		t.Error("the form depends on where the record stands, or on what was there")
	}
}

// TestPurgedRecordKeepsItsSummaryAndLeaf: all that is no content can be read from the
// summary alone, which is what the tree is over.
func TestPurgedRecordKeepsItsSummaryAndLeaf(t *testing.T) {
	for name, r := range golden() {
		form := r.Encode(nil)
		got, err := audit.Decode(audit.Form{Summary: form.Summary, Presence: audit.Purged})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := *r
		want.Presence, want.Salt, want.Detail = audit.Purged, [16]byte{}, ""
		want.Request, want.Answer, want.RequestDigest, want.AnswerDigest = nil, nil, [32]byte{}, [32]byte{}
		want.Findings = nil
		for _, f := range r.Findings {
			want.Findings = append(want.Findings, audit.Finding{Code: f.Code, Severity: f.Severity, Pointer: f.Pointer, Action: f.Action})
		}
		if !reflect.DeepEqual(got, &want) {
			t.Errorf("%s: %+v, want %+v", name, got, &want)
		}
	}
}

func TestDecodeGivesBackAnyRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		got, err := audit.Decode(r.Encode(nil))
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("decoded %+v, %v\nwant %+v", got, err, r)
		}
	})
}

func anyRecord(t *rapid.T) *audit.Record {
	text := func(name string) string { return rapid.String().Draw(t, name) }
	number := func(name string) int64 { return rapid.Int64().Draw(t, name) }
	body := func(name string) []byte { return append([]byte(nil), rapid.SliceOf(rapid.Byte()).Draw(t, name)...) }
	r := &audit.Record{
		Kind: audit.Kind(rapid.IntRange(1, 6).Draw(t, "kind")), ID: text("id"), Intent: rapid.Uint64().Draw(t, "intent"), IntentLog: text("intent log"),
		Time: time.UnixMicro(number("time")).UTC(), Duration: time.Duration(number("duration")),
		Node: text("node"), ClientAddress: text("address"), ClientIdentity: text("identity"),
		Operation: text("operation"), Cuit: wsfev1.CUIT(number("cuit")),
		PtoVta: rapid.Int32().Draw(t, "pto"), CbteTipo: rapid.Int32().Draw(t, "tipo"),
		Resultado: text("resultado"), Decision: text("decision"), Outcome: text("outcome"),
		Certainty: audit.Certainty(text("certainty")), Status: int(rapid.Int32().Draw(t, "status")),
		Upstream: text("upstream"), Detail: text("detail"),
		RequestLength: number("request length"), AnswerLength: number("answer length"),
		Request: body("request"), Answer: body("answer"),
	}
	copy(r.Salt[:], body("salt"))
	copy(r.Fingerprint[:], body("fingerprint"))
	copy(r.IdempotencyKey[:], body("idempotency key"))
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
		r.IntentLog, r.Purge = "", &audit.PurgeScope{Before: audit.Period(rapid.Int32().Draw(t, "before")), First: rapid.Uint64().Draw(t, "first"), Next: 7}
		for range rapid.IntRange(0, 3).Draw(t, "held") {
			r.Purge.Held = append(r.Purge.Held, wsfev1.CUIT(number("held cuit")))
		}
	}
	return r
}

func TestDecodeRefusesWhatIsNotTheForm(t *testing.T) {
	good, empty := golden()["lot"].Encode(nil), golden()["empty"].Encode(nil)
	summary := func(of audit.Form, change func([]byte) []byte) audit.Form {
		return audit.Form{Summary: change(bytes.Clone(of.Summary)), Content: of.Content}
	}
	first := func(at int, b byte) func([]byte) []byte {
		return func(data []byte) []byte { data[at] = b; return data }
	}
	for name, form := range map[string]audit.Form{
		"nothing":                {Content: good.Content},
		"version 0":              summary(good, first(0, 0)),
		"version 2 without need": summary(empty, func(data []byte) []byte { return append([]byte{2, data[1], 0, 0, 0}, data[4:]...) }),
		"a version to come":      summary(good, first(0, 3)),
		"kind 0":                 summary(good, first(1, 0)),
		"kind 7":                 summary(good, first(1, 7)),
		"bytes after the end":    summary(good, func(data []byte) []byte { return append(data, 0) }),
		"longer number":          summary(empty, func(data []byte) []byte { return bytes.Replace(data, []byte{1, 6, 0}, []byte{1, 6, 0x80, 0}, 1) }),
		"huge count":             summary(empty, func(data []byte) []byte { return append(data[:2], 0xff, 0xff, 0xff, 0xff, 0x7f) }),
		"no content":             {Summary: good.Summary},
		"another record's":       {Summary: good.Summary, Content: empty.Content},
		"content with more":      {Summary: good.Summary, Content: append(bytes.Clone(good.Content), 0)},
		"a digest of only zeros": withContent(empty, append(append(make([]byte, 17), 1), make([]byte, 32+2)...)),
		"content that goes on":   withContent(empty, append(bytes.Clone(empty.Content), 0)),
		"content of flags":       withContent(empty, append(make([]byte, 17), 4, 0, 0)),
	} {
		if r, err := audit.Decode(form); !errors.Is(err, audit.ErrEncoding) {
			t.Errorf("%s: decoded %+v, %v", name, r, err)
		}
	}
	for n := range len(good.Summary) {
		if _, err := audit.Decode(audit.Form{Summary: good.Summary[:n], Content: good.Content}); err == nil {
			t.Errorf("the first %d of %d bytes decode", n, len(good.Summary))
		}
	}
	for n := range len(good.Content) {
		if _, err := audit.Decode(withContent(good, good.Content[:n])); err == nil {
			t.Errorf("the first %d of %d bytes of the content decode", n, len(good.Content))
		}
	}
}

// withContent puts another content into a form, and its hash into the summary.
func withContent(form audit.Form, content []byte) audit.Form {
	hash := sha256.Sum256(content)
	summary := bytes.Clone(form.Summary)
	return audit.Form{Summary: append(summary[:len(summary)-len(hash)], hash[:]...), Content: content}
}

func FuzzDecode(f *testing.F) {
	for _, r := range golden() {
		form := r.Encode(nil)
		f.Add(form.Summary, form.Content)
	}
	f.Fuzz(func(t *testing.T, summary, content []byte) {
		if len(summary) < sha256.Size {
			return
		}
		form := withContent(audit.Form{Summary: summary}, content)
		r, err := audit.Decode(form)
		if err == nil && !reflect.DeepEqual(r.Encode(nil), form) {
			t.Error("two forms of one record: a changed byte could go unseen")
		}
	})
}

package audit_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
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
		"empty": {Kind: audit.KindExchange},
		"lot":   issued,
		"difference": {
			Kind:     audit.KindExchange,
			Findings: []audit.Finding{{Code: "10048", Difference: "0.05"}, {Code: "10023"}},
		},
		"extremes": {
			Kind: audit.KindIntent, ID: "ñ", Intent: 1<<64 - 1, Time: time.UnixMicro(-1).UTC(), Duration: -1,
			Node: "n", ClientAddress: "2001:db8::1", ClientIdentity: "CN=a", Operation: "FEDummy",
			Cuit: 1<<63 - 1, PtoVta: -1 << 31, CbteTipo: 1<<31 - 1,
			Vouchers:  []audit.Voucher{{CbteDesde: -1 << 63, CbteHasta: 1<<63 - 1, Code: "c", Resultado: "R"}},
			Resultado: "P", Decision: "refuse", Outcome: "o", Certainty: audit.NotSent,
			Findings: []audit.Finding{{Code: "code", Severity: "ERR", Pointer: "/a", Action: "refuse", Text: "text", Expected: "1", Got: "2", Tolerance: "0.01"}, {}},
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
			form := hex.EncodeToString(r.Encode(nil)) + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(form), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if form != string(want) {
				t.Errorf("the form of this record changed:\n got %s\nwant %s", form, want)
			}
			data, err := hex.DecodeString(strings.TrimSpace(string(want)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := audit.Decode(data); err != nil || !reflect.DeepEqual(got, r) {
				t.Errorf("decoded %+v, %v\nwant %+v", got, err, r)
			}
		})
	}
}

func TestEncodeAppendsAndLeavesPositionOut(t *testing.T) {
	r := golden()["lot"]
	before := r.Encode(nil)
	r.Log, r.Index = "gateway-1", 7
	if got := r.Encode([]byte("prefix")); string(got) != "prefix"+string(before) {
		t.Error("the form depends on where the record stands, or overwrote what was there")
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
		Kind: audit.Kind(rapid.IntRange(1, 3).Draw(t, "kind")), ID: text("id"), Intent: rapid.Uint64().Draw(t, "intent"),
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
	copy(r.RequestDigest[:], body("request digest"))
	copy(r.AnswerDigest[:], body("answer digest"))
	for range rapid.IntRange(0, 3).Draw(t, "vouchers") {
		r.Vouchers = append(r.Vouchers, audit.Voucher{
			CbteDesde: number("desde"), CbteHasta: number("hasta"), Code: text("code"), Resultado: text("resultado"),
		})
	}
	for range rapid.IntRange(0, 3).Draw(t, "findings") {
		r.Findings = append(r.Findings, audit.Finding{
			Code: text("code"), Severity: text("severity"), Pointer: text("pointer"), Action: text("action"),
			Text: text("text"), Expected: text("expected"), Got: text("got"), Tolerance: text("tolerance"), Difference: text("difference"),
		})
	}
	return r
}

func TestDecodeRefusesWhatIsNotTheForm(t *testing.T) {
	good := golden()["lot"].Encode(nil)
	changed := func(at int, b byte) []byte {
		data := bytes.Clone(good)
		data[at] = b
		return data
	}
	empty := golden()["empty"].Encode(nil)
	for name, data := range map[string][]byte{
		"nothing":               {},
		"version 0":             changed(0, 0),
		"a version to come":     changed(0, 3),
		"a later version":       changed(0, 2),
		"kind 0":                changed(1, 0),
		"kind 4":                changed(1, 4),
		"bytes after the end":   append(bytes.Clone(good), 0),
		"longer number":         bytes.Replace(empty, []byte{1, 1, 0}, []byte{1, 1, 0x80, 0}, 1),
		"huge count":            append(bytes.Clone(empty[:2]), 0xff, 0xff, 0xff, 0xff, 0x7f),
		"a digest of only zero": append(append(bytes.Clone(empty[:len(empty)-5]), 1), make([]byte, 32+4)...),
	} {
		if r, err := audit.Decode(data); err == nil {
			t.Errorf("%s: decoded %+v", name, r)
		}
	}
	for n := range len(good) {
		if _, err := audit.Decode(good[:n]); err == nil {
			t.Errorf("the first %d of %d bytes decode", n, len(good))
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, r := range golden() {
		f.Add(r.Encode(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := audit.Decode(data)
		if err == nil && !bytes.Equal(r.Encode(nil), data) {
			t.Error("two forms of one record: a changed byte could go unseen")
		}
	})
}

package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
)

const (
	exampleBegins = "<!-- the example is written by go test ./audit -run Format -update -->\n"
	exampleEnds   = "<!-- end of the example -->\n"
)

// TestFormatDocumentHasTheExampleOfToday: docs/format.md is all that an outsider has. Its
// example is what this code writes, put together from the fields one by one.
func TestFormatDocumentHasTheExampleOfToday(t *testing.T) {
	file := filepath.Join("..", "docs", "format.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), exampleBegins)
	_, after, ends := strings.Cut(rest, exampleEnds)
	if !begins || !ends {
		t.Fatal("the marks of the example are missing")
	}
	want := before + exampleBegins + formatExample(t) + exampleEnds + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Error("docs/format.md is stale: run go test ./audit -run Format -update")
	}
}

// exampleLog is a log of two records, an intent and its outcome.
func exampleLog(t *testing.T) (s *audittest.Memory, outcome *audit.Record) {
	t.Helper()
	s = audittest.NewMemory()
	salts := bytes.NewReader(bytes.Repeat([]byte{0x5a, 0x17}, 16))
	trail, err := audit.Open(t.Context(), s, "gw-1", audittest.Key(t, "gw-1"), audit.Options{First: true, Random: salts})
	if err != nil {
		t.Fatal(err)
	}
	wire := sha256.Sum256([]byte(`{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112}}`))
	intent := &audit.Record{
		Kind: audit.KindIntent, ID: "7f3a", Time: time.Date(2026, 11, 20, 18, 4, 5, 0, time.UTC), Node: "gw-1", Operation: "FECAESolicitar",
		Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Decision: "forward", Certainty: audit.Unknown, RequestLength: 52, RequestDigest: wire,
		Request: []byte(`{"Auth":{"Token":"hmac-sha256:00000000000000000000000000000000","Sign":"hmac-sha256:11111111111111111111111111111111","Cuit":20111111112}}`),
	}
	outcome = &audit.Record{
		Kind: audit.KindOutcome, ID: "7f3a", Intent: 0, Time: intent.Time, Duration: 1500 * time.Microsecond, Node: "gw-1",
		ClientAddress: "192.0.2.7", Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
		Vouchers:  []audit.Voucher{{CbteDesde: 15, CbteHasta: 15, Code: "86013409462920", Expires: "20261130", Resultado: "A"}},
		Resultado: "A", Decision: "forward", Outcome: "approved", Certainty: audit.Answered,
		Findings: []audit.Finding{{Code: "10217", Severity: "OBS", Pointer: "/FeCAEReq", Action: "observe", Text: "año", Got: "1"}},
		Status:   200, Upstream: "wsfev1_backend", RequestLength: 52, AnswerLength: 2, Fingerprint: [16]byte{0: 0xab, 15: 0xcd},
		RequestDigest: wire, AnswerDigest: sha256.Sum256([]byte("{}")), Answer: []byte("{}"),
	}
	for _, r := range []*audit.Record{intent, outcome} {
		if _, err := trail.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	return s, outcome
}

// bytesTable is a table of fields, and the bytes that they make.
type bytesTable struct {
	text strings.Builder
	all  []byte
}

func (b *bytesTable) row(field, value string, encoded []byte) {
	if b.all == nil {
		b.text.WriteString("| field | value | bytes |\n|---|---|---|\n")
	}
	fmt.Fprintf(&b.text, "| %s | %s | `%x` |\n", field, value, encoded)
	b.all = append(b.all, encoded...)
}

func (b *bytesTable) t(field, value string) {
	shown := "`" + value + "`"
	if value == "" {
		shown = "nothing"
	}
	b.row(field, shown, append(binary.AppendUvarint(nil, uint64(len(value))), value...))
}

func (b *bytesTable) v(field string, value int64) {
	u := uint64(value) << 1
	if value < 0 {
		u = ^u
	}
	b.row(field, fmt.Sprint(value), binary.AppendUvarint(nil, u))
}

func (b *bytesTable) u(field string, value uint64) {
	b.row(field, fmt.Sprint(value), binary.AppendUvarint(nil, value))
}

// contentTable is the content of the example.
func contentTable(r *audit.Record) *bytesTable {
	b := new(bytesTable)
	f := &r.Findings[0]
	b.row("salt", "16 random bytes", r.Salt[:])
	b.t("findings[0].text", f.Text)
	b.t("findings[0].expected", f.Expected)
	b.t("findings[0].got", f.Got)
	b.t("findings[0].tolerance", f.Tolerance)
	b.t("findings[0].difference", f.Difference)
	b.t("detail", r.Detail)
	b.row("which digests", "1 + 2: both", []byte{3})
	b.row("request_sha256", "of the body as it arrived, which is in the intent", r.RequestDigest[:])
	b.row("answer_sha256", "of `{}`", r.AnswerDigest[:])
	b.t("request", string(r.Request))
	b.t("answer", string(r.Answer))
	return b
}

// summaryTable is the summary of the example.
func summaryTable(r *audit.Record, content [32]byte) *bytesTable {
	b := new(bytesTable)
	v, f := &r.Vouchers[0], &r.Findings[0]
	b.row("version", "1", []byte{1})
	b.row("kind", "`outcome`", []byte{3})
	b.t("id", r.ID)
	b.u("intent", r.Intent)
	b.v("time", r.Time.UnixMicro())
	b.v("duration_ns", int64(r.Duration))
	b.t("node", r.Node)
	b.t("client_address", r.ClientAddress)
	b.t("client_identity", r.ClientIdentity)
	b.t("operation", r.Operation)
	b.v("cuit", int64(r.Cuit))
	b.v("pto_vta", int64(r.PtoVta))
	b.v("cbte_tipo", int64(r.CbteTipo))
	b.u("vouchers: how many", 1)
	b.v("vouchers[0].cbte_desde", v.CbteDesde)
	b.v("vouchers[0].cbte_hasta", v.CbteHasta)
	b.t("vouchers[0].code", v.Code)
	b.t("vouchers[0].expires", v.Expires)
	b.t("vouchers[0].resultado", v.Resultado)
	b.t("resultado", r.Resultado)
	b.t("decision", string(r.Decision))
	b.t("outcome", string(r.Outcome))
	b.t("certainty", string(r.Certainty))
	b.u("findings: how many", 1)
	b.t("findings[0].code", f.Code)
	b.t("findings[0].severity", f.Severity)
	b.t("findings[0].pointer", f.Pointer)
	b.t("findings[0].action", f.Action)
	b.v("status", int64(r.Status))
	b.t("upstream", r.Upstream)
	b.v("request_length", r.RequestLength)
	b.v("answer_length", r.AnswerLength)
	b.row("fingerprint", "16 bytes", append([]byte{16}, r.Fingerprint[:]...))
	b.row("idempotency_key", "none", []byte{0})
	b.row("content_sha256", "of the content above", content[:])
	return b
}

// formatExample is the example, in which each byte is accounted for.
func formatExample(t *testing.T) string {
	t.Helper()
	s, r := exampleLog(t)
	content := contentTable(r)
	contentHash := sha256.Sum256(content.all)
	summary := summaryTable(r, contentHash)
	form := r.Encode(nil)
	if !bytes.Equal(content.all, form.Content) || !bytes.Equal(summary.all, form.Summary) {
		t.Fatalf("the tables are not the form:\n%x\n%x\n%x\n%x", content.all, form.Content, summary.all, form.Summary)
	}
	leaf := sha256.Sum256(append([]byte{0}, summary.all...))
	traced := *r
	var err error
	if traced.TraceID, err = audit.ParseTraceID("4bf92f3577b34da6a3ce929d0e0e4736"); err != nil { // Trace Context's own example
		t.Fatal(err)
	}
	tracedSummary := traced.AppendSummary(nil, contentHash)
	if want := slices.Concat([]byte{4, 4}, summary.all[1:len(summary.all)-32], traced.TraceID[:], contentHash[:]); !bytes.Equal(tracedSummary, want) {
		t.Fatalf("%x\n%x", tracedSummary, want)
	}
	verifier := audittest.Key(t, "gw-1").Verifier()
	first, err := audit.Prove(t.Context(), s, "gw-1", verifier, 0)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := audit.Prove(t.Context(), s, "gw-1", verifier, 1)
	if err != nil {
		t.Fatal(err)
	}
	sibling := first.Form.Leaf()
	root := sha256.Sum256(append(append([]byte{1}, sibling[:]...), leaf[:]...))
	if tree, err := proof.Tree(verifier); err != nil || tree.Root != tlog.Hash(root) || proof.Hashes[0] != sibling {
		t.Fatalf("%v, or another root", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The content has %d bytes:\n\n%s\n", len(content.all), content.text.String())
	fmt.Fprintf(&b, "SHA-256 of these bytes: `%x`.\n\nThe summary has %d bytes:\n\n%s\n", contentHash, len(summary.all), summary.text.String())
	fmt.Fprintf(&b, "With a trace_id of `%s` the same record would have version 4: its summary would begin with `0404` in place of `01`,\nand have these 16 bytes before content_sha256.\n\n", traced.TraceID)
	fmt.Fprintf(&b, "The leaf of record 1 is the SHA-256 of a zero byte and these %d bytes: `%x`.\n", len(summary.all), leaf)
	fmt.Fprintf(&b, "The leaf of record 0, its intent, is `%x`.\nThe root over both is the SHA-256 of a byte 1, the leaf of record 0 and that of record 1: `%x`,\nin base64 `%s`.\n\n",
		sibling[:], root, tlog.Hash(root))
	fmt.Fprintf(&b, "In an export the line of record 1 is:\n\n```json\n%s```\n\n", exportedLine(t, s, verifier))
	fmt.Fprintf(&b, "The public key is `%s`. The proof of record 1 is this file, with the checkpoint at its end:\n\n```text\n%s```\n", verifier, proof.Marshal())
	extra := append([]byte{1, 0}, binary.AppendUvarint(nil, uint64(len(summary.all)))...)
	fmt.Fprintf(&b, "\nIts line `extra` begins, in bytes, with `%s`: version 1, nothing is missing, a summary of %d bytes.\n", hex.EncodeToString(extra), len(summary.all))
	return b.String()
}

// exportedLine returns the last line of an export of the example's log.
func exportedLine(t *testing.T, s audit.Store, verifier string) []byte {
	t.Helper()
	path := t.TempDir()
	folder, err := export.OpenDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := export.Write(t.Context(), s, "gw-1", folder, export.Options{Verifier: verifier})
	if err = errors.Join(err, folder.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(path, manifest.Files[0].Name))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	return lines[len(lines)-2] // the last one is empty
}

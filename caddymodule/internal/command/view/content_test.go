package view

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// TestShowSaysWhyContentCannotBeRead, in words and for programs, and shows the rest.
func TestShowSaysWhyContentCannotBeRead(t *testing.T) {
	whole := &audit.Record{
		Kind: audit.KindExchange, ID: "an-id", Time: time.Unix(1, 0), Operation: "FECAESolicitar", Decision: "refuse",
		Findings: []audit.Finding{{Code: "10048", Severity: "EXC", Action: "refuse", Pointer: "/FeCAEReq", Text: "quoted"}},
		Request:  []byte(`{"a":1}`), RequestLength: 7, RequestDigest: [32]byte{1}, Detail: "detail", AnswerLength: 9,
	}
	form := whole.Encode(nil)
	missing := map[audit.Presence]string{
		audit.Purged: " request: 7 bytes, purged: removed on purpose, for ever answer: 9 bytes, purged: ",
		audit.Sealed: " request: 7 bytes, sealed: encrypted, and the key was not given answer: 9 bytes, sealed: ",
	}
	for presence, words := range map[audit.Presence]string{
		audit.Purged: "content purged: bodies, texts of findings", audit.Sealed: "content sealed: bodies, texts of findings",
	} {
		form.Content, form.Presence = nil, presence
		record, err := audit.Decode(form)
		if err != nil {
			t.Fatal(err)
		}
		var table, object bytes.Buffer
		if err := NewTablePrinter(&table, ColumnsOf(0), false).Full(Entry{Exchange: story.ExchangeOf(record)}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(table.String()), " ")
		for _, want := range []string{
			words, missing[presence], "request 7 bytes answer 9 bytes", "10048 EXC refuse /FeCAEReq " + presence.String() + " regla 10048: ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", presence, want, &table)
			}
		}
		if err := (JSONPrinter{W: &object}).Row(Entry{Exchange: story.ExchangeOf(record)}); err != nil || !strings.Contains(object.String(), `"content":"`+presence.String()+`"`) {
			t.Errorf("%v: %s", err, &object)
		}
	}
}

// TestCodesCountWhatWasApproved: a report under a CAEA names it, whatever became of the report.
func TestCodesCountWhatWasApproved(t *testing.T) {
	for verdicts, want := range map[string]string{"AA": "36470000000001 (2 of 2)", "AR": "36470000000001 (1 of 2)", "  ": "36470000000001 (0 of 2)"} {
		var vouchers []audit.Voucher
		for i := range verdicts {
			vouchers = append(vouchers, audit.Voucher{Code: "36470000000001", Resultado: strings.TrimSpace(verdicts[i : i+1])})
		}
		if got := codes(vouchers); got != want {
			t.Errorf("%q: %s, want %s", verdicts, got, want)
		}
	}
}

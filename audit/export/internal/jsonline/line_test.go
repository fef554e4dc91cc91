package jsonline_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/jsonline"
	"github.com/fielato/fielato/internal/audittest"
)

var update = flag.Bool("update", false, "write the golden files; a changed one is a new version of the form")

// read reads a line.
func read(line []byte) (*audit.Record, error) {
	record, _, err := new(jsonline.Reader).Read(line)
	return record, err
}

// withheld is the line of a record whose content was purged.
func withheld(t *testing.T, r *audit.Record) []byte {
	t.Helper()
	summary, form := audittest.Purged(t, r)
	return jsonline.Append(nil, summary, form)
}

// TestExportLineIsTheGoldenOne: exports that were written must stay readable.
func TestExportLineIsTheGoldenOne(t *testing.T) {
	for name, r := range audittest.Golden() {
		t.Run(name, func(t *testing.T) {
			r.Log, r.Index = "gateway-1", 7
			form := r.Encode(nil)
			line := jsonline.Append(nil, r, form)
			line = append(line, withheld(t, r)...)
			file := filepath.Join("testdata", name+".export.jsonl")
			if *update {
				if err := os.WriteFile(file, line, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(line, want) {
				t.Errorf("the lines of this record changed:\n got %s\nwant %s", line, want)
			}
		})
	}
}

// TestExportLineGivesTheFormAgain for any record, texts that are no UTF-8 and purged
// ones included.
func TestExportLineGivesTheFormAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := audittest.AnyRecord(t)
		r.Log, r.Index = "gateway-1", rapid.Uint64().Draw(t, "index")
		if rapid.Bool().Draw(t, "bytes") {
			r.Detail = string(rapid.SliceOf(rapid.Byte()).Draw(t, "detail bytes"))
			r.ID = string(rapid.SliceOf(rapid.Byte()).Draw(t, "id bytes"))
		}
		form := r.Encode(nil)
		checkLine(t, r, form)
		for _, presence := range []audit.Presence{audit.Purged, audit.Sealed} {
			withheld := audit.Form{Summary: form.Summary, Presence: presence}
			summary, err := audit.Decode(withheld)
			if err != nil {
				t.Fatal(err)
			}
			summary.Log, summary.Index = r.Log, r.Index
			checkLine(t, summary, withheld)
		}
	})
}

type failer interface {
	Helper()
	Fatalf(string, ...any)
}

func checkLine(t failer, r *audit.Record, form audit.Form) {
	t.Helper()
	line := jsonline.Append(nil, r, form)
	if !utf8.Valid(line) || bytes.IndexByte(line, '\n') != len(line)-1 || !jsontext.Value(line).IsValid() {
		t.Fatalf("not a line of JSON: %q", line)
	}
	got, err := read(line)
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Fatalf("%s\nread %+v, %v\nwant %+v", line, got, err, r)
	}
}

func TestExportLineIsReadStrictly(t *testing.T) {
	r := audittest.Golden()["extremes"]
	r.Log, r.Index = "gateway-1", 7
	line := string(jsonline.Append(nil, r, r.Encode(nil)))
	if _, err := read([]byte(line)); err != nil {
		t.Fatal(err)
	}
	purged := string(withheld(t, audittest.Golden()["extremes"]))
	for name, change := range map[string][2]string{
		"unknown member":         {`"node"`, `"nodes"`},
		"member more":            {`"node":"n"`, `"node":"n","extra":1`},
		"member twice":           {`"node":"n"`, `"node":"n","node":"n"`},
		"members in other order": {`"node":"n","client_address":"2001:db8::1"`, `"client_address":"2001:db8::1","node":"n"`},
		"space":                  {`"node":"n"`, `"node": "n"`},
		"space after":            {"}\n", "} \n"},
		"something after":        {"}\n", "}{}\n"},
		"escape":                 {`"node":"n"`, `"node":"\u006e"`},
		"empty member":           {`"node":"n"`, `"node":"n","client_address":""`},
		"number written longer":  {`"status":503`, `"status":503.0`},
		"number out of range":    {`"pto_vta":-2147483648`, `"pto_vta":-2147483649`},
		"number as text":         {`"status":503`, `"status":"503"`},
		"kind":                   {`"kind":"intent"`, `"kind":"intents"`},
		"no kind":                {`"kind":"intent",`, ``},
		"time":                   {`-03:00"`, `+00:00"`},
		"time without micros":    {`59.999999`, `59.99`},
		"upper-case digest":      {`"salt":"0102`, `"salt":"0A02`},
		"shorter digest":         {`"salt":"0102`, `"salt":"02`},
		"base64 of a text":       {`"node":"n"`, `"node":{"base64":"bg=="}`},
		"content purged":         {`"salt"`, `"content":"purged","salt"`},
		"hash of a content":      {`"salt"`, `"content_sha256":"` + strings.Repeat("11", 32) + `","salt"`},
		"no object":              {line, "[]\n"},
		"half a line":            {line, line[:len(line)/2]},
		"nothing":                {line, "\n"},
		"summary":                {`"cuit":9223372036854775807`, `"cuit":20111111112`},
		"content":                {`"detail":"d"`, `"detail":"e"`},
		"leaf":                   {`"leaf":"`, `"leaf":"` + strings.Repeat("0", 64) + `","x":"`},
	} {
		changed := strings.Replace(line, change[0], change[1], 1)
		if changed == line {
			t.Errorf("%s: %q is not in the line", name, change[0])
		}
		if got, err := read([]byte(changed)); err == nil {
			t.Errorf("%s: read %+v", name, got)
		}
	}
	if _, err := read([]byte(purged)); err != nil {
		t.Errorf("a purged record: %v", err)
	}
	for before, more := range map[string]string{
		`"leaf"`: `"detail":"d",`, `,"leaf":`: `,"salt":"` + hex.EncodeToString([]byte("sixteen bytes ..")) + `"`, `},{}`: `,"text":"t"`,
	} {
		changed := strings.Replace(purged, before, more+before, 1)
		if changed == purged {
			t.Errorf("%s is not in the line", before)
		}
		if got, err := read([]byte(changed)); err == nil {
			t.Errorf("content of a purged record: read %+v", got)
		}
	}
}

func FuzzExportLine(f *testing.F) {
	for _, r := range audittest.Golden() {
		f.Add(jsonline.Append(nil, r, r.Encode(nil)))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := read(line)
		if err != nil {
			return
		}
		if r.Presence == audit.Present && !bytes.Equal(jsonline.Append(nil, r, r.Encode(nil)), line) {
			t.Error("two lines of one record: a changed byte could go unseen")
		}
	})
}

// TestExportLineProvesTheIntentLogOfAPurge: no record of a purge has one, but a line could name it.
func TestExportLineProvesTheIntentLogOfAPurge(t *testing.T) {
	r := audittest.Golden()["purge"]
	line := jsonline.Append(nil, r, r.Encode(nil))
	edited := bytes.Replace(line, []byte(`"time":`), []byte(`"intent_log":"edge-9","time":`), 1)
	if got, err := read(edited); err == nil {
		t.Errorf("the line is taken as %+v", got)
	}
}

// TestTextsAreQuotedOneWay: plain texts take a shorter way to the same bytes.
func TestTextsAreQuotedOneWay(t *testing.T) {
	for b := range 256 {
		for _, around := range []string{"", "a", `"`, `\`, "plain text", "ñ", strings.Repeat("long", 4<<10-1) + `"`} {
			text := []byte(around + string([]byte{byte(b)}) + around)
			want, err := jsontext.AppendQuote([]byte("before"), text)
			if err != nil {
				continue // no UTF-8: it has a form of its own
			}
			if got := jsonline.AppendText([]byte("before"), text); !bytes.Equal(got, want) {
				t.Errorf("%q: %s, want %s", text, got, want)
			}
		}
	}
}

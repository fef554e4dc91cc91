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
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

var update = flag.Bool("update", false, "write the golden files; a changed one is a new version of the form")

func TestEncodeGivesTheGoldenForm(t *testing.T) {
	for name, r := range audittest.Golden() {
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
	r := audittest.Golden()["lot"]
	before := r.Encode(nil)
	r.Log, r.Index = "gateway-1", 7
	got := r.Encode(append(make([]byte, 0, 1<<16), "prefix"...))
	if !reflect.DeepEqual(got, before) {
		t.Error("the form depends on where the record stands, or on what was there")
	}
}

// TestPurgedRecordKeepsItsSummaryAndLeaf: all fields but the content can be read from the summary
// alone. The tree is over the summary.
func TestPurgedRecordKeepsItsSummaryAndLeaf(t *testing.T) {
	for name, r := range audittest.Golden() {
		form := r.Encode(nil)
		got, err := audit.Decode(audit.Form{Summary: form.Summary, Presence: audit.Purged})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := *r
		want.Presence, want.Salt, want.Detail = audit.Purged, [16]byte{}, ""
		want.Request, want.Answer, want.RequestDigest, want.AnswerDigest = nil, nil, [32]byte{}, [32]byte{}
		for side, l := range map[**audit.Leg]*audit.Leg{&want.Client: r.Client, &want.Service: r.Service} {
			if l != nil {
				*side = &audit.Leg{Form: l.Form, RequestType: l.RequestType, RequestLength: l.RequestLength, AnswerLength: l.AnswerLength}
			}
		}
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
		r := audittest.AnyRecord(t)
		got, err := audit.Decode(r.Encode(nil))
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("decoded %+v, %v\nwant %+v", got, err, r)
		}
	})
}

func TestDecodeRefusesWhatIsNotTheForm(t *testing.T) {
	good, empty := audittest.Golden()["lot"].Encode(nil), audittest.Golden()["empty"].Encode(nil)
	summary := func(of audit.Form, change func([]byte) []byte) audit.Form {
		return audit.Form{Summary: change(bytes.Clone(of.Summary)), Content: of.Content}
	}
	first := func(at int, b byte) func([]byte) []byte {
		return func(data []byte) []byte { data[at] = b; return data }
	}
	settled, purge, traced := audittest.Golden()["settled-for-another"].Encode(nil), audittest.Golden()["purge"].Encode(nil), audittest.Golden()["traced"].Encode(nil)
	soap := audittest.Golden()["soap"].Encode(nil)
	// fields makes a form of any version one of version 4 with this number of fields.
	fields := func(number ...byte) func([]byte) []byte {
		return func(data []byte) []byte {
			after := data[1:]
			if data[0] == 4 {
				after = data[2:]
			}
			return slices.Concat([]byte{4}, number, after)
		}
	}
	for name, form := range map[string]audit.Form{
		"nothing":                {Content: good.Content},
		"version 0":              summary(good, first(0, 0)),
		"version 2 without need": summary(empty, func(data []byte) []byte { return append([]byte{2, data[1], 0, 0, 0}, data[4:]...) }),
		"version 3 without need": summary(good, first(0, 3)),
		"a version to come":      summary(good, first(0, 5)),
		"version 4 without need": summary(good, fields(0)),
		"intent log alone":       summary(settled, fields(1)),
		"purge alone":            summary(purge, fields(2)),
		"fields to come":         summary(traced, fields(4|16)),
		"longer number of them":  summary(traced, fields(0x84, 0)),
		"trace of zeros":         summary(traced, func(data []byte) []byte { clear(data[len(data)-48 : len(data)-32]); return data }),
		"client of no form":      summary(soap, func(data []byte) []byte { return bytes.Replace(data, []byte("\x06soap11"), []byte{0}, 1) }),
		"client without need":    summary(good, fields(9)),
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

// TestDecodeRefusesTheMediaTypeOfNoLeg, which no build has written.
func TestDecodeRefusesTheMediaTypeOfNoLeg(t *testing.T) {
	form := audittest.Golden()["traced"].Encode(nil)
	form.Summary[1] |= 16
	if _, err := audit.Decode(form); !errors.Is(err, audit.ErrEncoding) || errors.Is(err, audit.ErrNewer) {
		t.Error(err)
	}
}

// TestDecodeRefusesTheRetentionOfNoPurge, and one that has another form.
func TestDecodeRefusesTheRetentionOfNoPurge(t *testing.T) {
	form := audittest.Golden()["traced"].Encode(nil)
	retention := []byte{3, 0}
	at := len(form.Summary) - sha256.Size
	summary := append(bytes.Clone(form.Summary[:at]), retention...)
	form.Summary = append(summary, form.Summary[at:]...)
	form.Summary[1] |= 64
	if _, err := audit.Decode(form); !errors.Is(err, audit.ErrEncoding) || errors.Is(err, audit.ErrNewer) {
		t.Error(err)
	}
	usual := *audittest.Golden()["purge"]
	scope := *usual.Purge
	usual.Purge = &scope
	scope.Retention = &audit.PurgeRetention{Years: audit.DefaultRetention}
	if _, err := audit.Decode(usual.Encode(nil)); !errors.Is(err, audit.ErrEncoding) {
		t.Errorf("the usual retention: %v", err)
	}
}

// TestDecodeNamesTheFormOfANewerBuild: that is no damage.
func TestDecodeNamesTheFormOfANewerBuild(t *testing.T) {
	form := audittest.Golden()["traced"].Encode(nil)
	for name, head := range map[string][]byte{"version": {5, 4}, "fields": {4, 0x84, 0x80, 2}} { // 4 and 32768
		newer := audit.Form{Summary: append(head, form.Summary[2:]...), Content: form.Content}
		if _, err := audit.Decode(newer); !errors.Is(err, audit.ErrNewer) || !errors.Is(err, audit.ErrEncoding) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := audit.Decode(audit.Form{Summary: make([]byte, 64)}); errors.Is(err, audit.ErrNewer) || err == nil {
		t.Errorf("version 0: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, r := range audittest.Golden() {
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

package verify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

func TestVerifyFindsASoundLogSound(t *testing.T) {
	for _, size := range []uint64{0, 1, 255, 256, 257, 700} {
		s, checkpoints := keptLog(t, size)
		last := uint64(0)
		report := verified(t, s, verify.Options{Kept: checkpoints[min(size, 7)], Progress: func(done, of uint64) {
			if done < last || of != size {
				t.Errorf("progress %d of %d after %d", done, of, last)
			}
			last = done
		}})
		if !report.Sound() || report.Records != size || report.Checkpoint == nil || report.Checkpoint.Size != size || report.Kept == nil {
			t.Errorf("%d records: %s, %+v", size, firstFlaw(report), report)
		}
	}
}

func TestVerifyNamesWhatHappenedToRecords(t *testing.T) {
	s, checkpoints := keptLog(t, 700)
	changed := func(form audit.Form) audit.Form {
		r, err := audit.Decode(form)
		if err != nil {
			t.Fatal(err)
		}
		r.Cuit++
		return r.Encode(nil)
	}
	flip := func(b []byte, at int) []byte { b = bytes.Clone(b); b[at] ^= 1; return b }
	older := func(size uint64) func(audit.Head) audit.Head {
		return func(h audit.Head) audit.Head { h.Checkpoint = checkpoints[size]; return h }
	}
	damaged := fmt.Errorf("%w frame", audit.ErrDamaged)
	for name, test := range map[string]struct {
		store scanned
		count uint64
		want  string
	}{
		"changed":          {scanned{forms: func(f []audit.Form) []audit.Form { f[300] = changed(f[300]); return f }}, 1, "record 300 was changed"},
		"changed, at last": {scanned{forms: func(f []audit.Form) []audit.Form { f[699] = changed(f[699]); return f }}, 1, "record 699 was changed"},
		"changed, two":     {scanned{forms: func(f []audit.Form) []audit.Form { f[300], f[5] = changed(f[300]), changed(f[5]); return f }}, 2, "record 5 was changed"},
		"content": {
			scanned{forms: func(f []audit.Form) []audit.Form { f[300].Content = flip(f[300].Content, 20); return f }},
			1,
			"record 300 was changed: the content is not the one that the summary names",
		},
		"summary that is none": {scanned{forms: func(f []audit.Form) []audit.Form { f[300].Summary = flip(f[300].Summary, 0); return f }}, 1, "record 300 was changed: version 0"},
		"swapped":              {scanned{forms: func(f []audit.Form) []audit.Form { f[300], f[20] = f[20], f[300]; return f }}, 2, "record 300 stands in the place of record 20"},
		"removed":              {scanned{forms: func(f []audit.Form) []audit.Form { return slices.Delete(f, 300, 301) }}, 1, "record 300 was removed"},
		"removed, three":       {scanned{forms: func(f []audit.Form) []audit.Form { return slices.Delete(f, 254, 257) }}, 1, "records 254 to 256 were removed"},
		"inserted":             {scanned{forms: func(f []audit.Form) []audit.Form { return slices.Insert(f, 300, changed(f[300])) }}, 1, "record 300 was inserted"},
		"moved": {scanned{forms: func(f []audit.Form) []audit.Form {
			moved := f[300]
			return slices.Insert(slices.Delete(f, 300, 301), 310, moved)
		}}, 2, "records 301 to 310 stand in the place of records 300 to 309"},
		"cut off":          {scanned{forms: func(f []audit.Form) []audit.Form { return f[:690] }}, 1, "records 690 to 699 were cut off at the end"},
		"added":            {scanned{Twisted: audittest.Twisted{OnHead: older(607)}}, 1, "records 607 to 699 were inserted"},
		"a gap, all later": {scanned{first: func(n uint64) uint64 { return n + n/400*10 }}, 1, "records 400 to 689 stand in the place of records 410 to 699"},
		"a huge gap":       {scanned{first: func(n uint64) uint64 { return n + n/699<<50 }}, 1, "record 699 was cut off at the end"},
		"damaged":          {scanned{unpack: map[uint64]error{300: damaged}}, 1, "record 300 cannot be read: damaged frame"},
		"damaged, at last": {scanned{unpack: map[uint64]error{699: damaged}}, 1, "record 699 cannot be read: damaged frame"},
		"damaged store":    {scanned{fail: damaged, after: 300}, 1, "records 300 to 699 cannot be read: damaged frame"},
		"the index":        {scanned{check: map[uint64]error{300: errors.New("other keys")}}, 1, "other keys"},
		"no checkpoint": {
			scanned{Twisted: audittest.Twisted{OnHead: func(h audit.Head) audit.Head { h.Checkpoint = nil; return h }}},
			1,
			"the store has no checkpoint",
		},
		"a bad signature": {
			scanned{Twisted: audittest.Twisted{OnHead: func(h audit.Head) audit.Head { h.Checkpoint = flip(h.Checkpoint, 20); return h }}},
			1,
			"the checkpoint is not signed by the key",
		},
		"a tile": {
			scanned{Twisted: audittest.Twisted{OnTile: func(b []byte) []byte { return flip(b, 40*32) }}},
			2,
			"tile 0/0 of the tree has another leaf hash of record 40",
		},
		"no tile":    {scanned{Twisted: audittest.Twisted{OnTile: func(b []byte) []byte { return b[:32] }}}, 2, "tile 0/0 of the tree is missing, or is none"},
		"leaf hash":  {scanned{Twisted: audittest.Twisted{OnLeaves: func(b []byte) []byte { return flip(b, 40*32) }}}, 1, "the leaf hash that is kept beside record 552 is another one"},
		"wrong head": {scanned{Twisted: audittest.Twisted{OnHead: func(h audit.Head) audit.Head { h.Size = 698; return h }}}, 1, "the store says that the log has 698 records, but it has 700"},
	} {
		t.Run(name, func(t *testing.T) {
			test.store.Store = s
			report := verified(t, &test.store, verify.Options{})
			if got := firstFlaw(report); !strings.Contains(got, test.want) || report.Flaws.Count != test.count {
				t.Errorf("%d flaws: %v\nwant %d, the first of them %s", report.Flaws.Count, report.Flaws.Items, test.count, test.want)
			}
		})
	}
}

func TestVerifySaysThatItCannotTell(t *testing.T) {
	s, _ := keptLog(t, 300)
	stranger, err := audit.Checkpoint{Origin: audit.Origin("other"), Size: 7}.Sign(audittest.Key(t, "other"))
	if err != nil {
		t.Fatal(err)
	}
	failing := errors.New("no such disk")
	for name, test := range map[string]struct {
		store    audit.Store
		verifier string
		kept     []byte
		want     string
	}{
		"no key":                   {s, "none", nil, "public key"},
		"another log's checkpoint": {s, verifier(t), stranger, "not a checkpoint of the log"},
		"a text that is none":      {s, verifier(t), []byte("hello\n"), "not a checkpoint of the log"},
		"a disk that fails":        {&scanned{Twisted: audittest.Twisted{Store: s}, fail: failing, after: 280}, verifier(t), nil, "no such disk"},
	} {
		report, err := verify.Log(t.Context(), test.store, log, test.verifier, verify.Options{Kept: test.kept})
		if err == nil || !strings.Contains(err.Error(), test.want) || report.Records != 0 {
			t.Errorf("%s: %v, %+v, want %s", name, err, report, test.want)
		}
	}
	// A log that is signed, but not by this key, is another matter.
	report, err := verify.Log(t.Context(), s, log, audittest.Key(t, "other").Verifier(), verify.Options{})
	if err != nil || !strings.Contains(firstFlaw(report), "not signed by the key fielato/other") || report.Flaws.Count != 1 {
		t.Errorf("another key: %v, %v", err, report.Flaws.Items)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = verify.Log(ctx, s, log, verifier(t), verify.Options{Progress: func(uint64, uint64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestVerifyListsIntentsAndRemarks(t *testing.T) {
	s := audittest.NewMemory()
	at := func(kind audit.Kind, intent uint64) *audit.Record {
		return &audit.Record{Kind: kind, Intent: intent, Time: time.UnixMicro(0)}
	}
	if err := s.Commit(t.Context(), audittest.Seal(t, s, log,
		at(audit.KindIntent, 0), at(audit.KindExchange, 0), at(audit.KindOutcome, 0), at(audit.KindOutcome, 0), at(audit.KindOutcome, 1),
		at(audit.KindOutcome, 6), at(audit.KindIntent, 0), at(audit.KindIntent, 0), at(audit.KindIntent, 0),
	)); err != nil {
		t.Fatal(err)
	}
	report := verified(t, s, verify.Options{Listed: 2})
	remarks := []verify.OddLink{{verify.SecondOutcome, 3, 0}, {verify.NoIntent, 4, 1}}
	if !report.Sound() || report.Open.Count != 3 || !slices.Equal(report.Open.Items, []uint64{6, 7}) ||
		report.Remarks.Count != 3 || !slices.Equal(report.Remarks.Items, remarks) {
		t.Errorf("%+v", report)
	}
}

// TestVerifyKnowsTilesOfEachLevel: a flaw above the lowest level is not taken for one of
// records.
func TestVerifyKnowsTilesOfEachLevel(t *testing.T) {
	s := audittest.NewMemory()
	const size = 256*256 + 300
	records := make([]*audit.Record, size)
	for i := range records {
		records[i] = &audit.Record{Kind: audit.KindExchange, Time: time.UnixMicro(int64(i))}
	}
	if err := s.Commit(t.Context(), audittest.Seal(t, s, log, records...)); err != nil {
		t.Fatal(err)
	}
	changed := func(at int, index uint64) func([]audit.Form) []audit.Form {
		return func(f []audit.Form) []audit.Form {
			r := *records[index]
			r.Cuit = 7
			f[at] = r.Encode(nil)
			return f
		}
	}
	forged := *records[1000]
	forged.Cuit = 7
	for name, test := range map[string]struct {
		store tiled
		count uint64
		want  string
	}{
		"sound":                        {tiled{}, 0, "sound"},
		"a record":                     {tiled{scanned: scanned{forms: changed(1000, 1000)}}, 1, "record 1000 was changed"},
		"a record and its leaf hash":   {tiled{scanned: scanned{forms: changed(1000, 1000)}, leaf: forged.Encode(nil).Leaf()}, 1, "records 768 to 1023 were changed: one of them or more"},
		"a tile of level 0":            {tiled{level: 0, n: 3}, 1, "tile 0/3 of the tree has another leaf hash of record 992"},
		"a tile of level 1":            {tiled{level: 1, n: 0}, 1, "tile 1/0 of the tree has other hashes than the records give"},
		"a record, a tile of level 1":  {tiled{scanned: scanned{forms: changed(1000, 1000)}, level: 1, n: 0}, 1, "record 1000 was changed"},
		"a record in the partial tile": {tiled{scanned: scanned{forms: changed(65600, 65600)}}, 1, "record 65600 was changed"},
	} {
		test.store.Store = s
		report := verified(t, &test.store, verify.Options{})
		if got := firstFlaw(report); !strings.HasPrefix(got, test.want) || report.Flaws.Count != test.count {
			t.Errorf("%s: %d flaws: %v\nwant %d, the first of them %s", name, report.Flaws.Count, report.Flaws.Items, test.count, test.want)
		}
	}
}

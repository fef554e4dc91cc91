package verify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
	"github.com/fielato/fielato/audit/verify"
)

const log = "gateway-1"

// scanned changes what a store tells, also of the records.
type scanned struct {
	audittest.Twisted
	// forms changes the log's forms, each of which is a piece.
	forms func([]audit.Form) []audit.Form
	// first changes where each piece says that it begins.
	first func(uint64) uint64
	// fail is yielded after so many pieces.
	fail  error
	after int
	// unpack is the error of Unpack of this piece, check that of Check.
	unpack, check map[uint64]error
}

func (s *scanned) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		var forms []audit.Form
		for piece, err := range s.Store.Scan(ctx, log, first) {
			if err != nil {
				yield(piece, err)
				return
			}
			one, err := piece.Unpack()
			if err != nil {
				panic(err)
			}
			forms = append(forms, one...)
		}
		if s.forms != nil {
			forms = s.forms(forms)
		}
		for i, form := range forms {
			if s.fail != nil && i == s.after {
				yield(audit.Piece{}, s.fail)
				return
			}
			at := uint64(i)
			piece := audit.Piece{
				First:  at,
				Unpack: func() ([]audit.Form, error) { return []audit.Form{form}, s.unpack[at] },
				Check:  func([]*audit.Record) error { return s.check[at] },
			}
			if s.first != nil {
				piece.First = s.first(at)
			}
			if !yield(piece, nil) {
				return
			}
		}
	}
}

// kept is a log of n records in memory, and the checkpoints of some of its sizes.
func keptLog(t *testing.T, n uint64) (*audittest.Memory, map[uint64][]byte) {
	t.Helper()
	s, checkpoints := audittest.NewMemory(), map[uint64][]byte{}
	source := audittest.NewSource(1)
	for size := uint64(0); ; {
		batch := uint64(100)
		if size == 0 {
			batch = 7
		}
		var records []*audit.Record
		for at := size; at < min(size+batch, n); at++ {
			records = append(records, source.Next(at))
			records[len(records)-1].Salt = [16]byte{byte(at), byte(at >> 8)}
		}
		sealed := audittest.Seal(t, s, log, records...)
		if err := s.Commit(t.Context(), sealed); err != nil {
			t.Fatal(err)
		}
		size += uint64(len(records))
		checkpoints[size] = sealed.Checkpoint
		if size == n {
			return s, checkpoints
		}
	}
}

func verifier(t *testing.T) string { return audittest.Key(t, log).Verifier() }

func verified(t *testing.T, s audit.Store, options verify.Options) verify.Report {
	t.Helper()
	report, err := verify.Log(t.Context(), s, log, verifier(t), options)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func firstFlaw(r verify.Report) string {
	if r.Sound() {
		return "sound"
	}
	return r.Flaws.Items[0].String()
}

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

// TestVerifyComparesWithAKeptCheckpoint: what is sound by itself may be another history.
func TestVerifyComparesWithAKeptCheckpoint(t *testing.T) {
	s, checkpoints := keptLog(t, 700)
	shorter, _ := keptLog(t, 300)
	root := func(size uint64, root [32]byte) []byte {
		signed, err := audit.Checkpoint{Origin: audit.Origin(log), Size: size, Root: root}.Sign(audittest.Key(t, log))
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	other, err := audit.NewKey(bytes.NewReader(make([]byte, 64)), log)
	if err != nil {
		t.Fatal(err)
	}
	resigned, err := audit.Checkpoint{Origin: audit.Origin(log), Size: 7}.Sign(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		store audit.Store
		kept  []byte
		want  string
	}{
		"of an older log":  {s, checkpoints[607], "sound"},
		"of the same":      {s, checkpoints[700], "sound"},
		"put back":         {shorter, checkpoints[700], "records 300 to 699 were cut off at the end: the checkpoint that was kept is over 700 records"},
		"another history":  {s, root(300, [32]byte{1}), "the log is no extension of the checkpoint that was kept: its first 300 records"},
		"of another empty": {s, root(0, [32]byte{1}), "the log is no extension"},
		"signed anew":      {s, resigned, "is not signed by the key that the log is signed with now"},
		"altered":          {s, bytes.Replace(checkpoints[607], []byte("\n607\n"), []byte("\n606\n"), 1), "was changed after it was signed"},
	} {
		if report := verified(t, test.store, verify.Options{Kept: test.kept}); !strings.Contains(firstFlaw(report), test.want) {
			t.Errorf("%s: %s, want %s", name, firstFlaw(report), test.want)
		}
	}
	// A record that was changed does not make another history of the hashes.
	twist := &scanned{Twisted: audittest.Twisted{Store: s}, forms: func(f []audit.Form) []audit.Form { f[5].Content = nil; return f }}
	if report := verified(t, twist, verify.Options{Kept: checkpoints[607]}); report.Flaws.Count != 1 || !strings.HasPrefix(firstFlaw(report), "record 5 was changed") {
		t.Errorf("a changed record: %v", report.Flaws.Items)
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
		"another log's checkpoint": {s, verifier(t), stranger, "no checkpoint of the log"},
		"a text that is none":      {s, verifier(t), []byte("hello\n"), "no checkpoint of the log"},
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

// TestVerifyKnowsTilesOfEachLevel: what is wrong above the lowest level is told from what
// is wrong with records.
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

// tiled is a store with one tile in which a bit is wrong, or which has this leaf hash of
// record 1000.
type tiled struct {
	scanned
	level int
	n     uint64
	leaf  [32]byte
}

func (s *tiled) Tile(ctx context.Context, log string, level int, n uint64) ([]byte, error) {
	hashes, err := s.Store.Tile(ctx, log, level, n)
	switch {
	case err != nil:
	case s.leaf != [32]byte{}:
		if level == 0 && n == 3 {
			copy(hashes[(1000-768)*32:], s.leaf[:])
		}
	case level == s.level && n == s.n && (level > 0 || n > 0):
		hashes[7*1024] ^= 1
	}
	return hashes, err
}

func TestConsistencyOfKeptCheckpoints(t *testing.T) {
	s, checkpoints := keptLog(t, 700)
	shorter, _ := keptLog(t, 300)
	sign := func(size uint64) []byte {
		signed, err := audit.Checkpoint{Origin: audit.Origin(log), Size: size, Root: [32]byte{1}}.Sign(audittest.Key(t, log))
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	for name, test := range map[string]struct {
		store        audit.Store
		older, newer []byte
		unsound      bool
		want         string
	}{
		"an extension":         {s, checkpoints[207], checkpoints[607], false, ""},
		"the same":             {s, checkpoints[607], checkpoints[607], false, ""},
		"the newest":           {s, checkpoints[7], checkpoints[700], false, ""},
		"another history":      {s, sign(207), checkpoints[607], true, "no extension"},
		"another newer":        {s, checkpoints[207], sign(607), true, "no extension"},
		"another of this size": {s, sign(607), checkpoints[607], true, "no extension"},
		"another empty":        {s, sign(0), checkpoints[607], true, "empty log"},
		"a log that is short":  {shorter, checkpoints[207], checkpoints[607], true, "has 300 records"},
		"the wrong way round":  {s, checkpoints[607], checkpoints[207], false, "the other way round"},
		"an older one altered": {s, bytes.Replace(checkpoints[207], []byte("\n207\n"), []byte("\n206\n"), 1), checkpoints[607], true, "older checkpoint: the trail is not sound: the checkpoint that was kept was changed"},
		"a newer one altered":  {s, checkpoints[207], bytes.Replace(checkpoints[607], []byte("\n607\n"), []byte("\n606\n"), 1), true, "newer checkpoint: the trail is not sound: the checkpoint that was kept was changed"},
		"a text that is none":  {s, checkpoints[207], []byte("x"), false, "no checkpoint of the log"},
	} {
		from, to, err := verify.Consistency(t.Context(), test.store, log, verifier(t), test.older, test.newer)
		if test.want == "" {
			if err != nil || from.Size > to.Size || to.Size == 0 {
				t.Errorf("%s: %v, %+v, %+v", name, err, from, to)
			}
			continue
		}
		if err == nil || errors.Is(err, audit.ErrUnsound) != test.unsound || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s, unsound %v", name, err, test.want, test.unsound)
		}
	}
}

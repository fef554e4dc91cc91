package verify_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

// TestVerifyComparesWithAKeptCheckpoint: a log that is sound by itself may be another history.
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
		"another history":  {s, root(300, [32]byte{1}), "the log is not an extension of the checkpoint that was kept: its first 300 records"},
		"of another empty": {s, root(0, [32]byte{1}), "the log is not an extension"},
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
		"another history":      {s, sign(207), checkpoints[607], true, "not an extension"},
		"another newer":        {s, checkpoints[207], sign(607), true, "not an extension"},
		"another of this size": {s, sign(607), checkpoints[607], true, "not an extension"},
		"another empty":        {s, sign(0), checkpoints[607], true, "empty log"},
		"a log that is short":  {shorter, checkpoints[207], checkpoints[607], true, "has 300 records"},
		"the wrong way round":  {s, checkpoints[607], checkpoints[207], false, "the other way round"},
		"an older one altered": {s, bytes.Replace(checkpoints[207], []byte("\n207\n"), []byte("\n206\n"), 1), checkpoints[607], true, "older checkpoint: the trail is not sound: the checkpoint that was kept was changed"},
		"a newer one altered":  {s, checkpoints[207], bytes.Replace(checkpoints[607], []byte("\n607\n"), []byte("\n606\n"), 1), true, "newer checkpoint: the trail is not sound: the checkpoint that was kept was changed"},
		"a text that is none":  {s, checkpoints[207], []byte("x"), false, "not a checkpoint of the log"},
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

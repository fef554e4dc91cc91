package export

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/wsfev1"
)

// openBook takes the recorded purges out of the manifest: only purges that the key has signed get
// into the book.
func (v *verifier) openBook() {
	v.book = verify.NewPurgeBook(&v.report.Checkpoint, v.issuerOf)
	v.held = map[wsfev1.CUIT]*verify.IndexSet{}
	for i, text := range v.manifest.Purges {
		proof, err := audit.ParseProof([]byte(text))
		var r *audit.Record
		if err == nil {
			r, err = proof.Check(v.report.PublicKey)
		}
		switch {
		case err != nil:
			v.report.fault(manifestName, 0, "purges: number %d proves nothing: %v", i+1, err)
		case r.Log != v.manifest.Log || !verify.IsPurgeRecord(r):
			v.report.fault(manifestName, 0, "purges: number %d is not the record of a purge of this log", i+1)
		default:
			v.book.Enter(r)
			v.remember(r)
		}
	}
}

// issuerOf returns the issuer of an intent, if a purge had to keep the content of that issuer.
func (v *verifier) issuerOf(intent uint64) (wsfev1.CUIT, error) {
	for cuit, intents := range v.held {
		if intents.Has(intent) {
			return cuit, nil
		}
	}
	return 0, nil
}

// remember begins a set of intents for each issuer whose content a purge had to keep.
func (v *verifier) remember(r *audit.Record) {
	if r.Purge == nil {
		return
	}
	for _, cuit := range r.Purge.Held {
		v.held[cuit] = new(verify.IndexSet)
	}
}

// intents adds an intent of such an issuer to its set.
func (v *verifier) intents(r *audit.Record) {
	if set := v.held[r.Cuit]; set != nil && r.Kind == audit.KindIntent {
		set.Add(r.Index)
	}
}

// purgedRun are neighbouring records about which the same is wrong.
type purgedRun struct {
	first, next uint64
	file        string
	line        int
	text        string
}

// checkPurged looks for the purge that permits a line without content, and reports a fault if there
// is none.
func (v *verifier) checkPurged(f *RecordFile, line *readRecord) {
	r := line.record
	gone := &verify.PurgedRecord{Index: r.Index, Kind: r.Kind, Period: audit.PeriodOf(r.Time), Cuit: r.Cuit, Intent: r.Intent}
	if permitted, err := v.book.Permits(gone); permitted || err != nil || line.err != nil {
		return
	}
	text, _ := v.book.Judge(gone) // of an export it only reads its own memory
	if text == "" {
		return
	}
	if v.unexplained.file != f.Name || v.unexplained.next != r.Index || v.unexplained.text != text {
		v.flushPurged()
		v.unexplained = purgedRun{first: r.Index, file: f.Name, line: line.line, text: text}
	}
	v.unexplained.next = r.Index + 1
}

func (v *verifier) flushPurged() {
	if g := v.unexplained; g.text != "" {
		v.report.fault(g.file, g.line, "%s", audit.Flaw{Kind: audit.FlawPurged, First: g.first, Next: g.next, Detail: g.text})
	}
	v.unexplained = purgedRun{}
}

// closeBook reports the faults of the purges as a whole.
func (v *verifier) closeBook() {
	v.flushPurged()
	v.book.Finish(func(first, next uint64, text string) {
		v.report.fault(manifestName, 0, "%s", audit.Flaw{Kind: audit.FlawPurged, First: first, Next: next, Detail: text})
	})
	v.report.Unrecorded, v.report.Acknowledged = v.book.Unrecorded, v.book.Acknowledged()
}

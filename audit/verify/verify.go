package verify

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
)

// Options are what Log checks beyond the store, and how it reports. The zero Options are good.
type Options struct {
	// Kept is a signed checkpoint that was kept outside of the store: the log must be an
	// extension of it. It reveals changes that the store alone cannot show, such as an older copy
	// that was put back whole.
	Kept []byte
	// Listed is how many flaws, remarks and open intents a report lists, 20 if it is 0.
	// All of them are counted.
	Listed int
	// Progress is called now and then, by Log's own goroutine, with how many of the
	// log's records were read.
	Progress func(records, of uint64)
}

// Log reads a log from its first record to its last and checks it against what was signed. Each
// record is decoded and hashed into a tree whose root must match the signed checkpoint. On
// the way Log compares the hashes that the store keeps, to name the record that is wrong, and
// the search index.
//
// Verifier is the public key of the log (Key.Verifier). The report lists the flaws of the
// log; Log continues after the first flaw. An error means that there is no result: the store
// could not be read, the key is invalid, or Kept is not a checkpoint of this log.
//
// Log uses all processors. Its memory does not grow with the log, except for one bit a record in
// the worst case (IndexSet). The log may be written to while Log runs, which verifies what was
// there at the beginning.
func Log(ctx context.Context, store audit.Store, log, verifier string, options Options) (Report, error) {
	if options.Listed <= 0 {
		options.Listed = 20
	}
	v := &verification{
		store: store, log: log, options: options,
		report: Report{Log: log, Verifier: verifier},
		links:  links{store: store, log: log, limit: options.Listed},
	}
	if err := v.run(ctx); err != nil {
		return Report{}, fmt.Errorf("verifying log %q: %w", log, err)
	}
	return v.report, nil
}

// verification is one run of Log. It belongs to the goroutine that called it.
type verification struct {
	store   audit.Store
	log     string
	options Options
	report  Report
	links   links
	proven  *proven

	// head is the number of records by the store, end the number that there must be: the size
	// of the signed checkpoint, head without one.
	head, end uint64
	// next is the place after the last record that was read.
	next uint64
	// damaged is the first record of a piece that could not be unpacked and that no
	// other followed yet. damage is the error of Unpack, empty if there is none.
	damaged uint64
	damage  string
	// unfinished: if the log ends before its checkpoint, that is because it is a copy that is not finished.
	unfinished bool
	// lost: the places of records are not followed any more.
	lost bool

	// rows are the one that was judged last (nil at first), the next and the one after.
	rows [3]*row
	// shift is the shift of the row that was judged last.
	shift int64
	tree  recomputed

	// book holds the recorded purges. bookDamage is why they cannot be read, bookSize the size
	// of the log when they were read. bookFresh: they were read again since the current piece
	// was.
	book       *PurgeBook
	bookDamage error
	bookSize   uint64
	bookFresh  bool

	// Where the store's hashes are not proven, a record that does not fit its hash may
	// be wrong, or the hash. Which of the two is known at the end only.
	ifRecords, ifHashes Listing[audit.Flaw]
}

func (v *verification) run(ctx context.Context) error {
	if goOn, err := v.begin(ctx); err != nil || !goOn {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	inspection := v.inspect(ctx)
	err := readLog(ctx, v.store, v.log, func(p *parsed) error { return v.take(ctx, p) })
	if errors.Is(err, audit.ErrDamaged) {
		v.flaw(audit.Flaw{Kind: audit.FlawDamaged, First: v.next, Next: max(v.end, v.next+1), Detail: err.Error()})
		v.lost, err = true, nil
	}
	if err == nil {
		err = v.finish(ctx)
	}
	if err != nil {
		cancel()
		<-inspection.done
		return err
	}
	v.closeBook()
	<-inspection.done
	v.report.Flaws.merge(inspection.flaws, v.options.Listed, audit.CompareFlaws)
	return inspection.err
}

// inspection is the result of the store's own Inspect.
type inspection struct {
	done  chan struct{} // closed when the rest is set
	flaws Listing[audit.Flaw]
	err   error
}

// inspect lets the store look at itself meanwhile, if it can.
func (v *verification) inspect(ctx context.Context) *inspection {
	i := &inspection{done: make(chan struct{})}
	inspector, ok := v.store.(audit.Inspector)
	if !ok {
		close(i.done)
		return i
	}
	go func() {
		defer close(i.done)
		i.err = panics.Do(taskVerify, func() error {
			return inspector.Inspect(ctx, v.log, func(f audit.Flaw) { i.flaws.add(f, v.options.Listed, audit.CompareFlaws) })
		})
	}()
	return i
}

// flaw adds a flaw that is certain. What continues from one row to the next is one flaw.
func (v *verification) flaw(f audit.Flaw) {
	items := v.report.Flaws.Items
	for i := range items {
		if items[i].Continues(f) {
			items[i].Next = f.Next
			return
		}
	}
	v.report.Flaws.add(f, v.options.Listed, audit.CompareFlaws)
}

// begin reads the head and the checkpoints, and reports whether it makes sense to continue.
func (v *verification) begin(ctx context.Context) (goOn bool, err error) {
	if err := checkVerifier(v.report.Verifier); err != nil {
		return false, err
	}
	if err := v.openCosigned(ctx); err != nil {
		return false, err
	}
	head, err := v.store.Head(ctx, v.log)
	if errors.Is(err, audit.ErrDamaged) {
		v.flaw(audit.Flaw{Kind: audit.FlawDamaged, Detail: "the end of the log cannot be found: " + err.Error()})
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the head: %w", err)
	}
	v.head, v.end = head.Size, head.Size
	signed, err := audit.OpenLogCheckpoint(head.Checkpoint, v.report.Verifier, v.log)
	if err != nil {
		v.flaw(audit.Flaw{Kind: audit.FlawCheckpoint, Detail: err.Error()})
	} else {
		v.report.Checkpoint, v.end = &signed, signed.Size
		if v.unfinished, err = audit.IsUnfinishedCopy(ctx, v.store, v.log, signed); err != nil {
			return false, err
		}
	}
	if v.options.Kept != nil {
		if err := v.openKept(); err != nil {
			return false, err
		}
	}
	v.bookSize = head.Size
	if err := v.openBook(ctx); err != nil {
		return false, err
	}
	v.proven, err = readProven(ctx, v.store, v.log, v.report.Checkpoint)
	return true, err
}

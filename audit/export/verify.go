package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/invoice"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/timestamp"
	"github.com/fielato/fielato/wsfev1"
)

// maxFaults is how many faults a report names; it counts all.
const maxFaults = 20

// VerifyOptions configure Verify.
type VerifyOptions struct {
	// Verifier is the public key that the log is known to have. Without one the export's own is
	// taken. Then a good result means only that the export fits itself: a forger could have
	// made the key too.
	Verifier string
	// Known is a signed checkpoint that was kept elsewhere, nil if there is none: the
	// export must have its records.
	Known []byte
	// Progress is called during the verification with the number of records read and the
	// number in the manifest.
	Progress func(done, total uint64)
}

// Fault is one thing that is wrong with an export.
type Fault struct {
	// File is where it is, Line the line in it, from 1; 0 if it is no single line. Of a
	// compressed file it is the line of the text.
	File string
	Line int
	Text string
}

// String returns the fault in the form file:line: text.
func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// Report is the result of a verification.
type Report struct {
	Log string
	// PublicKey is the key that the checkpoint was checked with.
	PublicKey string
	// Records and Invoices were read; Purged and Sealed are the records among them whose
	// content is not there.
	Records, Invoices, Purged, Sealed uint64
	// Unrecorded are those whose content was removed before purges were recorded, as in
	// verify.Report. Acknowledged: a record vouches for them.
	Unrecorded   verify.Unrecorded
	Acknowledged bool
	// Checkpoint is the signed checkpoint that the export was compared with.
	Checkpoint audit.Checkpoint
	// Witnessed is the cosigned checkpoint that the export continues, and WitnessedNote the note; nil for none. The lines
	// of witnesses were not looked at.
	Witnessed     *audit.Checkpoint
	WitnessedNote []byte
	// Timestamp is the time-stamp of the export, nil for none. Its authority was not looked at.
	Timestamp *Timestamp
	// Faults are the first that were found, FaultCount how many there are.
	Faults     []Fault
	FaultCount int
	// Unfinished are files of a later export into the same folder that was not
	// finished. They were not verified.
	Unfinished []string
}

// Sound reports whether nothing is wrong.
func (r *Report) Sound() bool { return r.FaultCount == 0 }

func (r *Report) fault(file string, line int, format string, args ...any) {
	if r.FaultCount++; len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, Fault{file, line, fmt.Sprintf(format, args...)})
	}
}

// ErrNoManifest: a folder has no manifest. It is no export, or one that was not finished.
var ErrNoManifest = errors.New("there is no " + manifestName + ": this is not an export, or not a finished one; run the export again")

// Verify verifies an export with nothing but its files and the log's public key. It makes the
// form of each record again from its line, the tree from the forms, and compares the tree with
// the signed checkpoint. It compares the invoices with the records. Its memory does not grow
// with the export.
//
// The report lists the faults of the export. An error means that there is no result:
// ErrNoManifest, a file that cannot be read, a key that is none.
func Verify(ctx context.Context, folder fs.FS, check VerifyOptions) (*Report, error) {
	if check.Progress == nil {
		check.Progress = func(uint64, uint64) {}
	}
	manifest, err := readManifest(folder, manifestName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoManifest
	case errors.Is(err, errManifest):
		report := new(Report)
		report.fault(manifestName, 0, "%v", err)
		return report, nil
	case err != nil:
		return nil, err
	}
	v := &verifier{
		folder: folder, options: check, manifest: manifest, log: manifest.Log, tree: new(audit.Tree), table: invoice.NewTable(),
		report: &Report{Log: manifest.Log, PublicKey: check.Verifier},
	}
	if v.report.PublicKey == "" {
		v.report.PublicKey = manifest.PublicKey
	}
	if err := v.run(ctx); err != nil {
		return nil, fmt.Errorf("verifying the export of log %q: %w", manifest.Log, err)
	}
	return v.report, nil
}

// verifier is one verification.
type verifier struct {
	folder   fs.FS
	options  VerifyOptions
	manifest *Manifest
	// known is the checkpoint that was kept elsewhere, nil if there is none.
	known  *audit.Checkpoint
	report *Report
	// unfinished: a later export into the folder is not finished.
	unfinished bool
	// next is the index that the next record must have. tree is over those that were
	// read: once one is wrong it proves nothing any more.
	next uint64
	// log is the one that the next record must be of.
	log   string
	tree  *audit.Tree
	table *invoice.Table
	// book holds the purges that the manifest proves, held the intents of the issuers that some purge had
	// to keep. unexplained is the newest run of contents found gone: neighbours are one fault.
	book        *verify.PurgeBook
	held        map[wsfev1.CUIT]*verify.IndexSet
	unexplained purgedRun
}

func (v *verifier) run(ctx context.Context) error {
	if err := v.signatures(); err != nil {
		return err
	}
	isSigned := v.report.Sound()
	if err := v.listing(); err != nil {
		return err
	}
	if isSigned {
		if err := v.timestamped(); err != nil {
			return err
		}
	}
	v.compareKnown()
	v.openBook()
	for i := range v.manifest.Files {
		if err := v.file(ctx, &v.manifest.Files[i]); err != nil {
			return err
		}
	}
	v.report.Records = v.tree.Size()
	v.closeBook()
	// Where a record is named that is wrong, this adds nothing.
	if root := v.tree.Root(); v.report.Sound() && (root != v.report.Checkpoint.Root || v.tree.Size() != v.report.Checkpoint.Size) {
		v.report.fault(manifestName, 0, "the %d records give the root %s, the signed checkpoint says %s over %d: records were changed, and all that names them with them",
			v.tree.Size(), root, v.report.Checkpoint.Root, v.report.Checkpoint.Size)
	}
	return nil
}

// signatures checks the checkpoints themselves.
func (v *verifier) signatures() (err error) {
	if err := audit.CheckVerifier(v.report.PublicKey); err != nil {
		if v.options.Verifier != "" {
			return err
		}
		v.report.fault(manifestName, 0, "its public key is none: %v", err)
		return nil
	}
	if v.manifest.PublicKey != v.report.PublicKey {
		v.report.fault(manifestName, 0, "it names the public key %s, which is not the one that was given", v.manifest.PublicKey)
	}
	c, err := audit.OpenCheckpoint([]byte(v.manifest.Checkpoint), v.report.PublicKey)
	switch {
	case err != nil:
		v.report.fault(manifestName, 0, "%v", err)
	case !audit.IsOrigin(c.Origin, v.manifest.Log):
		v.report.fault(manifestName, 0, "the checkpoint is one of %q, the log is %q", c.Origin, v.manifest.Log)
	case c.Size != v.manifest.Size:
		v.report.fault(manifestName, 0, "the checkpoint is over %d records, the export has %d", c.Size, v.manifest.Size)
	}
	if v.report.Checkpoint = c; v.report.Sound() {
		v.witnessed()
	}
	if v.options.Known == nil {
		return nil
	}
	known, err := audit.OpenKeptCheckpoint(v.options.Known, v.report.PublicKey, v.manifest.Log)
	switch {
	case errors.Is(err, audit.ErrUnsound):
		v.report.fault(manifestName, 0, "%v", err)
		return nil
	case err != nil:
		return fmt.Errorf("the checkpoint that was given: %w", err)
	}
	if v.known = &known; known.Size > v.manifest.Size {
		v.report.fault(manifestName, 0, "the export has %d records, the checkpoint that was given is over %d: those from %d on are missing",
			v.manifest.Size, known.Size, v.manifest.Size)
	}
	return nil
}

// compareKnown compares the tree with the known checkpoint, once it has that size.
func (v *verifier) compareKnown() {
	if v.known != nil && v.known.Size == v.tree.Size() && v.report.Sound() && v.known.Root != v.tree.Root() {
		v.report.fault(manifestName, 0, "the first %d records give the root %s, the checkpoint that was given says %s: it is another history",
			v.known.Size, v.tree.Root(), v.known.Root)
	}
}

// listing compares the files of the folder with the files that the manifest names. While an export
// is under way there may be more, which count for nothing.
func (v *verifier) listing() error {
	entries, err := fs.ReadDir(v.folder, ".")
	if err != nil {
		return fmt.Errorf("reading the folder: %w", err)
	}
	named := []string{manifestName}
	for i := range v.manifest.Files {
		named = append(named, v.manifest.Files[i].Name, v.manifest.Files[i].Invoices.Name)
	}
	if v.manifest.Timestamped != nil {
		named = append(named, timestamp.DocumentFile, timestamp.ReplyFile)
	}
	slices.Sort(named)
	v.unfinished = slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.TrimSuffix(e.Name(), partialSuffix) == progressName })
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() { // what a link leads to is no part of the folder
			v.report.fault(name, 0, "it is no regular file")
		}
		if _, found := slices.BinarySearch(named, name); found {
			continue
		}
		if v.unfinished && isFileName(name) {
			v.report.Unfinished = append(v.report.Unfinished, name)
			continue
		}
		v.report.fault(name, 0, "the manifest does not name it: it was added, and proves nothing")
	}
	return nil
}

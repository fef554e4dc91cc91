package export

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/strictjson"
	"github.com/fielato/fielato/internal/timestamp"
)

const (
	exportFormat = "fielato-export/11"
	// exportFormatUnstamped is the format of builds that knew no Timestamped.
	exportFormatUnstamped = "fielato-export/10"
	// exportFormatUnwitnessed is the format of builds that knew no Witnessed.
	exportFormatUnwitnessed = "fielato-export/9"
	// exportFormatUnplaced is the format of builds that knew no Environment.
	exportFormatUnplaced = "fielato-export/8"
	// exportFormatUncertified is the format of builds that knew no Certificate and no Way.
	exportFormatUncertified = "fielato-export/7"
	// exportFormatClientless is the format of builds that knew no ClientTable and no ClientRow.
	exportFormatClientless = "fielato-export/6"
	// exportFormatCauseless is the format of builds that knew no Origin and no Cause.
	exportFormatCauseless = "fielato-export/5"
	// exportFormatUnretained is the format of builds that knew no PurgeRetention and no SentFingerprint.
	exportFormatUnretained = "fielato-export/4"
	// exportFormatJSON is the format of builds that knew no Leg.
	exportFormatJSON = "fielato-export/3"
	// exportFormatUntraced is the format of builds that knew no TraceID.
	exportFormatUntraced = "fielato-export/2"
	// exportFormatUnrecorded is the format of builds that did not record purges. It has no Purges.
	exportFormatUnrecorded = "fielato-export/1"
	// manifestName is the file that makes a folder an export: it is written last.
	manifestName = "manifest.json"
	// progressName is there while an export is not finished: a manifest of the files
	// that are whole, without a checkpoint.
	progressName = "progress.json"
	// partialSuffix ends the names of files that are being written.
	partialSuffix = ".partial"

	compressionZstd = "zstd"
)

// exportFormats are those that can be read, the newest first.
var exportFormats = []string{exportFormat, exportFormatUnstamped, exportFormatUnwitnessed, exportFormatUnplaced, exportFormatUncertified, exportFormatClientless, exportFormatCauseless, exportFormatUnretained, exportFormatJSON, exportFormatUntraced, exportFormatUnrecorded}

// Manifest lists the parts of an export. Only its checkpoint is signed, and proves the rest:
// Verify believes nothing else of it.
type Manifest struct {
	Format string `json:"format"`
	Log    string `json:"log"`
	// PublicKey is the log's, as the gateway prints it: <name>+<hash>+<key>.
	PublicKey string `json:"public_key"`
	// Size is the number of records.
	Size uint64 `json:"size"`
	// Checkpoint is the signed note over exactly these records.
	Checkpoint string `json:"checkpoint,omitzero"`
	// Witnessed is nil if no checkpoint of the log was cosigned.
	Witnessed *Witnessed `json:"witnessed,omitempty"`
	// Timestamped is nil if the export has no time-stamp.
	Timestamped *Timestamped `json:"timestamped,omitempty"`
	// FileRecords is how many records each file has but the last.
	FileRecords uint64 `json:"file_records"`
	// Compression is zstd or empty. It applies to the files of records, not to the invoices.
	Compression string `json:"compression,omitzero"`
	// Purged and Sealed are how many records have no content: see Presence.
	Purged uint64 `json:"purged"`
	Sealed uint64 `json:"sealed"`
	// Purges are the records of purges and holds, each with its proof (Proof.Marshal):
	// content was purged beside the export, maybe, and their records come after its end.
	Purges []string `json:"purges,omitempty"`
	// Files are in the order of their records.
	Files []RecordFile `json:"files"`
}

// RecordFile is a run of neighbouring records in one file, a line each.
type RecordFile struct {
	Name string `json:"name"`
	// First is the index of the first record.
	First   uint64 `json:"first"`
	Records uint64 `json:"records"`
	Purged  uint64 `json:"purged"`
	Sealed  uint64 `json:"sealed"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	// Root is the tree hash of the log up to the last of the records, in hexadecimal.
	Root string `json:"root"`
	// Invoices is the file of the invoices of these records.
	Invoices InvoiceFile `json:"invoices"`
}

// InvoiceFile is a file of invoices (CSV).
type InvoiceFile struct {
	Name string `json:"name"`
	// Rows does not count the line of the columns.
	Rows   uint64 `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// end is the index after the last record.
func (f *RecordFile) end() uint64 { return f.First + f.Records }

// fileNames are the names of the files with the records first <= index < end.
func fileNames(first, end uint64, compression string) (records, invoices string) {
	between := fmt.Sprintf("%012d-%012d", first, end-1)
	records = "records-" + between + ".jsonl"
	if compression == compressionZstd {
		records += ".zst"
	}
	return records, "invoices-" + between + ".csv"
}

// isFileName reports whether a file may be one of an export, finished or not.
func isFileName(name string) bool {
	return name == manifestName || name == progressName || name == timestamp.DocumentFile || name == timestamp.ReplyFile || strings.HasSuffix(name, partialSuffix) ||
		strings.HasPrefix(name, "records-") || strings.HasPrefix(name, "invoices-")
}

// errManifest: a manifest is none, or contradicts itself.
var errManifest = errors.New("not the manifest of an export")

// readManifest reads a manifest or the notes of an unfinished export. The error wraps
// fs.ErrNotExist where there is none, errManifest where it is not in order.
func readManifest(folder fs.FS, name string) (*Manifest, error) {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	m := new(Manifest)
	if err := strictjson.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%w: %w", errManifest, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", errManifest, err)
	}
	return m, nil
}

// check reports whether the files are consecutive and have their names.
func (m *Manifest) check() error {
	if !slices.Contains(exportFormats, m.Format) || m.Format == exportFormatUnrecorded && len(m.Purges) > 0 {
		return fmt.Errorf("its format is %q, this build reads %s", m.Format, strings.Join(exportFormats, ", "))
	}
	if m.Witnessed != nil && m.Format != exportFormat && m.Format != exportFormatUnstamped {
		return fmt.Errorf("the format %s has no cosigned checkpoint", m.Format)
	}
	if m.Timestamped != nil {
		if m.Format != exportFormat {
			return fmt.Errorf("the format %s has no time-stamp", m.Format)
		}
		if err := m.Timestamped.check(); err != nil {
			return err
		}
	}
	if m.FileRecords == 0 || m.FileRecords%audit.TileWidth != 0 || m.Compression != "" && m.Compression != compressionZstd {
		return fmt.Errorf("%d records a file, compression %q", m.FileRecords, m.Compression)
	}
	var sum Manifest
	for i := range m.Files {
		f := &m.Files[i]
		if f.First != sum.Size || f.Records == 0 || f.Records > m.FileRecords {
			return fmt.Errorf("the file %s begins at record %d with %d records, where record %d comes next", f.Name, f.First, f.Records, sum.Size)
		}
		if f.Records < m.FileRecords && i < len(m.Files)-1 {
			return fmt.Errorf("the file %s has %d records, fewer than %d, and is not the last", f.Name, f.Records, m.FileRecords)
		}
		records, invoices := fileNames(f.First, f.end(), m.Compression)
		if f.Name != records || f.Invoices.Name != invoices {
			return fmt.Errorf("the file at record %d is called %s and %s, not %s and %s", f.First, f.Name, f.Invoices.Name, records, invoices)
		}
		sum.add(f)
	}
	if sum.Size != m.Size || sum.Purged != m.Purged || sum.Sealed != m.Sealed {
		return fmt.Errorf("%d records, %d purged and %d sealed, the files have %d, %d and %d",
			m.Size, m.Purged, m.Sealed, sum.Size, sum.Purged, sum.Sealed)
	}
	return nil
}

// add counts one more file.
func (m *Manifest) add(f *RecordFile) {
	m.Size += f.Records
	m.Purged += f.Purged
	m.Sealed += f.Sealed
}

// cut leaves the first n files.
func (m *Manifest) cut(n int) {
	m.Files, m.Checkpoint, m.Witnessed, m.Timestamped = m.Files[:n], "", nil, nil
	m.Size, m.Purged, m.Sealed = 0, 0, 0
	for i := range m.Files {
		m.add(&m.Files[i])
	}
}

// write puts the manifest in place of the one that is there, all of it or nothing.
func (m *Manifest) write(folder Folder, name string) error {
	text, err := json.Marshal(m, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return writeFile(folder, name, append(text, '\n'))
}

// writeFile puts a file in place of the one that is there, all of it or nothing.
func writeFile(folder Folder, name string, content []byte) error {
	file, err := folder.Create(name + partialSuffix)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = folder.Rename(name+partialSuffix, name)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

func hexRoot(root tlog.Hash) string { return hex.EncodeToString(root[:]) }

package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/command/cli"
	"github.com/fielato/fielato/wsfev1"
)

// evidenceBundle is everything about one invoice, for a reader without a gateway. It is
// written with one exchange in memory at a time; only the list of file names grows.
type evidenceBundle struct {
	store audit.Store
	query audit.Query
	// logs are the logs that were searched.
	logs []evidenceLog
	out  *evidenceOutput
	made time.Time
	// filesOf are the names of the files of each record.
	filesOf map[recordPlace][]string
}

// Write writes all exchanges about an invoice into a new folder or a new zip file, and
// returns how many there are.
func Write(ctx context.Context, store audit.Store, names []string, wanted audit.Query, path string) (int, error) {
	places, err := exchangesAbout(ctx, store, names, wanted)
	if err != nil {
		return 0, err
	}
	if len(places) == 0 {
		return 0, fmt.Errorf("log %s has no exchange about invoice %d of type %d, point of sale %d, of %s",
			strings.Join(names, ", "), wanted.Number, wanted.CbteTipo, wanted.PtoVta, wanted.Cuit)
	}
	logs, err := evidenceLogs(ctx, store, names)
	if err != nil {
		return 0, err
	}
	out, err := newOutput(path)
	if err != nil {
		return 0, err
	}
	bundle := &evidenceBundle{store: store, query: wanted, logs: logs, out: out, made: time.Now()}
	if err := bundle.write(ctx, places); err != nil {
		return 0, errors.Join(err, out.abandon())
	}
	if err := out.finish(); err != nil {
		return 0, errors.Join(err, out.abandon())
	}
	return len(places), nil
}

// evidenceLog is a log as a bundle names it.
type evidenceLog struct {
	Log string `json:"log"`
	Key string `json:"public_key"` // by which the proofs are checked
	// Checkpoint is the signed checkpoint of the log when the bundle was made.
	Checkpoint string `json:"checkpoint"`
}

func evidenceLogs(ctx context.Context, store audit.Store, names []string) (logs []evidenceLog, err error) {
	for _, name := range names {
		verifier, err := cli.KeyOfLog(ctx, store, name)
		if err != nil {
			return nil, err
		}
		head, err := store.Head(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("reading the head of log %s: %w", name, err)
		}
		logs = append(logs, evidenceLog{name, verifier, string(head.Checkpoint)})
	}
	return logs, nil
}

// folder returns the folder for the files of the number-th record.
func (b *evidenceBundle) folder(number int, at recordPlace) string {
	if len(b.logs) == 1 {
		return fmt.Sprintf("exchanges/%03d-record-%d", number, at.index)
	}
	return fmt.Sprintf("exchanges/%03d-%s-record-%d", number, url.PathEscape(at.log), at.index)
}

// write writes the bundle. The manifest comes last: it marks the bundle as whole.
func (b *evidenceBundle) write(ctx context.Context, places []recordPlace) error {
	b.filesOf = map[recordPlace][]string{}
	for i, at := range places {
		x, err := b.read(ctx, at)
		if err != nil {
			return err
		}
		folder := b.folder(i+1, at)
		var names []string
		for _, part := range evidenceParts {
			content, err := part.make(ctx, b, x)
			if err != nil {
				return fmt.Errorf("making %s of record %d: %w", part.name, at.index, err)
			}
			if content == nil {
				continue
			}
			names = append(names, path.Join(folder, part.name))
			if err := b.out.add(path.Join(folder, part.name), content, x.record.Time); err != nil {
				return err
			}
		}
		b.filesOf[at] = names
	}
	page := func(w io.Writer) error { return b.writePage(ctx, w, places) }
	if err := b.out.stream("index.html", b.made, page); err != nil {
		return err
	}
	return b.manifest()
}

// evidenceManifest lists the files of a bundle, except itself.
type evidenceManifest struct {
	Format string `json:"format"`
	Made   string `json:"made"`
	// Log and Key, with which proofs are checked, are set for one log; Logs for several.
	Log      string         `json:"log,omitzero"`
	Key      string         `json:"public_key,omitzero"`
	Logs     []evidenceLog  `json:"logs,omitempty"`
	Cuit     wsfev1.CUIT    `json:"cuit"`
	PtoVta   int32          `json:"pto_vta"`
	CbteTipo int32          `json:"cbte_tipo"`
	Nro      int64          `json:"nro"`
	Files    []evidenceFile `json:"files"`
}

func (b *evidenceBundle) manifest() error {
	manifest := evidenceManifest{
		Format: "fielato-evidence/1", Made: b.made.In(wsfev1.Argentina).Format(time.RFC3339),
		Cuit: b.query.Cuit, PtoVta: b.query.PtoVta, CbteTipo: b.query.CbteTipo, Nro: b.query.Number,
		Files: b.out.files,
	}
	if manifest.Logs = b.logs; len(b.logs) == 1 {
		manifest.Log, manifest.Key, manifest.Logs = b.logs[0].Log, b.logs[0].Key, nil
	}
	text, err := json.Marshal(manifest, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	return b.out.add("manifest.json", append(text, '\n'), b.made)
}

// recordPlace is the address of a record.
type recordPlace struct {
	log   string
	index uint64
}

// exchangesAbout returns the addresses of the records about an invoice, in the order in which
// the exchanges began. An outcome has the time of its intent, so a query of the gateway about
// it comes after it, although it was recorded before. Records are read later, one by one:
// lots may be large.
func exchangesAbout(ctx context.Context, store audit.Store, logs []string, query audit.Query) ([]recordPlace, error) {
	type begun struct {
		at time.Time
		recordPlace
	}
	var exchanges []begun
	for record, err := range audit.SearchLogs(ctx, store, logs, query) {
		if err != nil {
			return nil, fmt.Errorf("searching: %w", err)
		}
		exchanges = append(exchanges, begun{record.Time, recordPlace{record.Log, record.Index}})
	}
	slices.SortFunc(exchanges, func(a, b begun) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.log, b.log), cmp.Compare(a.index, b.index))
	})
	places := make([]recordPlace, len(exchanges))
	for i := range exchanges {
		places[i] = exchanges[i].recordPlace
	}
	return places, nil
}

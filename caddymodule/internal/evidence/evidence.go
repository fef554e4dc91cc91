package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
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
	// outages are those that an exchange fell into.
	outages []*story.Outage
	// witnesses are the names on the lines of witnesses under the checkpoints of the proofs.
	witnesses []string
	// filesOf are the names of the files of each record, and stamps what the time-stamps beside them say.
	filesOf map[story.Place][]string
	stamps  map[story.Place]pageStamp
}

// ErrTooMany: there are more exchanges about the invoice than were asked for.
var ErrTooMany = errors.New("there are too many exchanges about the invoice")

// Write writes all exchanges about an invoice into a new folder or a new zip file, and
// returns how many there are.
func Write(ctx context.Context, store audit.Store, names []string, wanted audit.Query, path string) (int, error) {
	return write(ctx, store, names, wanted, func() (*evidenceOutput, error) { return newOutput(path) })
}

// WriteZip writes them to w as a zip file, if there are at most so many (ErrTooMany). With an error,
// what w has got is not whole.
func WriteZip(ctx context.Context, w io.Writer, store audit.Store, names []string, wanted audit.Query, most int) (int, error) {
	wanted.Limit = most + 1
	return write(ctx, store, names, wanted, func() (*evidenceOutput, error) { return zipOutput(w), nil })
}

func write(ctx context.Context, store audit.Store, names []string, wanted audit.Query, open func() (*evidenceOutput, error)) (int, error) {
	about, err := gather(ctx, store, names, wanted)
	switch {
	case errors.Is(err, ErrNone):
		return 0, fmt.Errorf("log %s has no exchange about invoice %d of type %d, point of sale %d, of %s",
			strings.Join(names, ", "), wanted.Number, wanted.CbteTipo, wanted.PtoVta, wanted.Cuit)
	case err != nil:
		return 0, err
	}
	logs, err := evidenceLogs(ctx, store, about.logs)
	if err != nil {
		return 0, err
	}
	out, err := open()
	if err != nil {
		return 0, err
	}
	bundle := &evidenceBundle{store: store, query: wanted, logs: logs, out: out, made: time.Now(), outages: about.outages}
	if err := bundle.write(ctx, about.exchanges); err != nil {
		return 0, errors.Join(err, out.abandon())
	}
	if err := out.finish(); err != nil {
		return 0, errors.Join(err, out.abandon())
	}
	return len(about.exchanges), nil
}

// evidenceLog is a log as a bundle names it.
type evidenceLog struct {
	Log string `json:"log"`
	Key string `json:"public_key"` // by which the proofs are checked
	// Checkpoint is the signed checkpoint of the log when the bundle was made.
	Checkpoint string `json:"checkpoint"`
	// builtInSince is when the built-in service first issued into the log; zero if it never did.
	builtInSince time.Time
}

func evidenceLogs(ctx context.Context, store audit.Store, names []string) (logs []evidenceLog, err error) {
	for _, name := range names {
		verifier, err := KeyOfLog(ctx, store, name)
		if err != nil {
			return nil, err
		}
		head, err := store.Head(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("reading the head of log %s: %w", name, err)
		}
		since, err := builtInSince(ctx, store, name)
		if err != nil {
			return nil, err
		}
		logs = append(logs, evidenceLog{name, verifier, string(head.Checkpoint), since})
	}
	return logs, nil
}

// folder returns the folder for the files of the number-th record.
func (b *evidenceBundle) folder(number int, at story.Place) string {
	if len(b.logs) == 1 {
		return fmt.Sprintf("exchanges/%03d-record-%d", number, at.Index)
	}
	return fmt.Sprintf("exchanges/%03d-%s-record-%d", number, url.PathEscape(at.Log), at.Index)
}

// write writes the bundle. The manifest comes last: it marks the bundle as whole.
func (b *evidenceBundle) write(ctx context.Context, exchanges []*story.Entry) error {
	b.filesOf, b.stamps = map[story.Place][]string{}, map[story.Place]pageStamp{}
	for i, s := range exchanges {
		at := s.Place
		x, err := b.read(ctx, at)
		if err != nil {
			return err
		}
		if x.Intent != nil {
			s.Intended = x.Intent.Time
		}
		folder := b.folder(i+1, at)
		var names []string
		files, err := b.files(ctx, x)
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.content == nil {
				continue
			}
			names = append(names, path.Join(folder, f.name))
			if err := b.out.add(path.Join(folder, f.name), f.content, x.At.Time); err != nil {
				return err
			}
		}
		b.filesOf[at] = names
	}
	page := func(w io.Writer) error { return b.writePage(ctx, w, exchanges) }
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
		Format: manifestFormat, Made: b.made.In(wsfev1.Argentina).Format(time.RFC3339),
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
	return b.out.add(manifestName, append(text, '\n'), b.made)
}

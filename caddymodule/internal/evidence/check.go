package evidence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/internal/strictjson"
)

const (
	manifestName   = "manifest.json"
	manifestFormat = "fielato-evidence/1"
	recordProof    = "record.tlog-proof"
	intentProof    = "intent.tlog-proof"
	// maxManifest bounds how many bytes of a manifest are read.
	maxManifest = 64 << 20
)

// Checked is the result of the check of a bundle.
type Checked struct {
	// Proofs are those that hold.
	Proofs []CheckedProof
	// Stamps are the time-stamps of records. Unstamped are the proofs of records that have none.
	Stamps    []CheckedStamp
	Unstamped []string
	// Files are how many files are as the manifest says.
	Files int
	// Faults name everything in the bundle that differs from how it was written.
	Faults []string
	// Foreign are logs whose proofs hold by the key that the bundle itself names.
	Foreign []string
	// Unlisted are files that the manifest does not name.
	Unlisted []string
	// Key is the key that the proofs were checked with.
	Key string
}

// CheckedProof is a proof that holds.
type CheckedProof struct {
	// Name is the file with the proof.
	Name string
	// Key is the public key that its checkpoint was checked with. The lines of witnesses under it were not looked at.
	Key        string
	Size       uint64
	Checkpoint []byte
	// Tree is the checkpoint.
	Tree audit.Checkpoint
}

// IsBundle reports whether a folder holds a bundle, of whatever version.
func IsBundle(folder fs.FS) bool {
	manifest, err := readManifest(folder, func(text []byte, into any) error { return json.Unmarshal(text, into) })
	return err == nil && strings.HasPrefix(manifest.Format, "fielato-evidence/")
}

// Check checks a bundle: its files against the manifest, each proof with the key, and the
// requests and answers against the proofs. Without a key it takes the one that the bundle names,
// which proves nothing to somebody who does not know that key. An error leaves the verdict open.
func Check(folder fs.FS, verifier string) (*Checked, error) {
	manifest, err := readManifest(folder, strictjson.Unmarshal)
	if err != nil {
		return nil, err
	}
	if manifest.Format != manifestFormat {
		return nil, fmt.Errorf("%s has the format %q: this build reads %s", manifestName, manifest.Format, manifestFormat)
	}
	if one := manifest.Log != ""; one != (manifest.Key != "") || one == (len(manifest.Logs) > 0) {
		return nil, fmt.Errorf("%s names not one log with its key, and no list of several: it was changed", manifestName)
	}
	if manifest.Key != "" {
		manifest.Logs = []evidenceLog{{Log: manifest.Log, Key: manifest.Key}}
	}
	if verifier == "" && len(manifest.Logs) > 0 {
		verifier = manifest.Logs[0].Key
	}
	c := &checker{folder: folder, logs: manifest.Logs, Checked: Checked{Key: verifier}}
	if err := c.files(manifest.Files); err != nil {
		return nil, err
	}
	for _, at := range c.exchanges {
		if err := c.exchange(at); err != nil {
			return nil, err
		}
	}
	if c.exchanges == nil {
		c.fault("%s names no exchange", manifestName)
	}
	return &c.Checked, nil
}

func readManifest(folder fs.FS, unmarshal func(text []byte, into any) error) (*evidenceManifest, error) {
	file, err := folder.Open(manifestName)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	manifest := new(evidenceManifest)
	text, err := io.ReadAll(io.LimitReader(file, maxManifest))
	if err == nil {
		err = unmarshal(text, manifest)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	return manifest, nil
}

// checker checks one bundle.
type checker struct {
	Checked
	folder fs.FS
	logs   []evidenceLog
	// exchanges are the folders of the exchanges, as the manifest lists them.
	exchanges []string
	// changed are the files that are not as the manifest says.
	changed []string
}

func (c *checker) fault(format string, args ...any) {
	c.Faults = append(c.Faults, fmt.Sprintf(format, args...))
}

// exchange checks the proofs of one exchange, and its request and answer against them.
func (c *checker) exchange(at string) error {
	record, err := c.proven(path.Join(at, recordProof))
	if err != nil || record == nil {
		return err
	}
	if !c.has(record.Log) {
		c.fault("%s is of the log %s, which %s does not name", path.Join(at, recordProof), record.Log, manifestName)
	}
	if err := c.stamp(at, record); err != nil {
		return err
	}
	x := &evidenceExchange{Exchange: story.Exchange{At: record}}
	if record.Kind == audit.KindOutcome && c.has(story.IntentOf(record).Log) {
		if x.Intent, err = c.proven(path.Join(at, intentProof)); err != nil || x.Intent == nil {
			return err
		}
		if (story.Place{Log: x.Intent.Log, Index: x.Intent.Index}) != story.IntentOf(record) {
			c.fault("%s is of record %s, which is not the intent of %s", path.Join(at, intentProof), x.Intent.Address(), record.Address())
		}
	}
	return c.bodies(at, x)
}

// bodies compares the request and the answer with the proven record, in JSON and as the client and the
// service saw them. Of an outcome without its intent nothing proves a request, and there must be none.
func (c *checker) bodies(at string, x *evidenceExchange) error {
	bodies := map[string][]byte{"answer.json": x.At.Answer, "request.json": x.Request().Request}
	for _, f := range x.legFiles() {
		if len(f.content) == 0 {
			f.content = nil // there is no such file
		}
		if err := c.compare(path.Join(at, f.name), f.content); err != nil {
			return fmt.Errorf("%s of %s: %w", f.name, at, err)
		}
	}
	for name, body := range bodies {
		want, err := indented(body)
		if err == nil {
			err = c.compare(path.Join(at, name), want)
		}
		if err != nil {
			return fmt.Errorf("%s of %s: %w", name, at, err)
		}
	}
	return nil
}

// has reports whether the bundle proves records of a log. A gateway may settle an intent of
// another one, whose log need not be in the bundle.
func (c *checker) has(log string) bool {
	return slices.ContainsFunc(c.logs, func(l evidenceLog) bool { return l.Log == log })
}

// proven returns the record of a proof, or nil for one that does not hold.
func (c *checker) proven(name string) (*audit.Record, error) {
	data, err := c.start(name, audit.MaxProof+1)
	if errors.Is(err, fs.ErrNotExist) {
		c.fault("%s is missing: nothing proves this exchange", name)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	proof, err := audit.ParseProof(data)
	if errors.Is(err, audit.ErrUnproven) || err != nil && slices.Contains(c.changed, name) { // else it may be one of a newer form
		c.fault("%s: %v", name, err)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	record, err := proof.Check(c.Key)
	key := c.Key
	for _, other := range c.logs {
		if err == nil || len(c.logs) < 2 {
			break
		}
		if other.Key == c.Key {
			continue
		}
		if foreign, failed := proof.Check(other.Key); failed == nil && foreign.Log == other.Log {
			record, key, err = foreign, other.Key, nil
			if !slices.Contains(c.Foreign, other.Log) {
				c.Foreign = append(c.Foreign, other.Log)
			}
		}
	}
	switch {
	case errors.Is(err, audit.ErrUnproven):
		c.fault("%s: %v", name, err)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	tree, err := proof.Tree(key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.Proofs = append(c.Proofs, CheckedProof{name, key, tree.Size, proof.Checkpoint, tree})
	return record, nil
}

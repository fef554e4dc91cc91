package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/durable"
)

// format names the form of a Manifest.
const format = "fielato-backup/1"

// Manifest describes a backup. It has no secrets, so it can be kept where the backup is not.
type Manifest struct {
	Format string    `json:"format"`
	Made   time.Time `json:"made"`
	Bytes  int64     `json:"bytes"`
	SHA256 string    `json:"sha256"` // of the file, in hexadecimal digits
	Logs   []Log     `json:"logs"`
}

// Log is a log of a backup, which was verified.
type Log struct {
	Log       string `json:"log"`
	Records   uint64 `json:"records"`
	PublicKey string `json:"public_key"`
	// Checkpoint is the newest one, a signed note.
	Checkpoint string `json:"checkpoint"`
}

// ManifestOf returns the path of the manifest of a backup.
func ManifestOf(file string) string { return file + ".json" }

// Describe returns the manifest of a file, which holds these logs.
func Describe(file string, made time.Time, logs []Log) (*Manifest, error) {
	m := &Manifest{Format: format, Made: made.UTC().Truncate(time.Second), Logs: logs}
	var err error
	m.Bytes, m.SHA256, err = digest(file)
	return m, err
}

// Write keeps the manifest of the backup that is, or will be, at file.
func (m *Manifest) Write(file string) error {
	text, err := json.Marshal(m, jsontext.Multiline(true))
	if err == nil {
		err = durable.Replace(ManifestOf(file), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the manifest of the backup: %w", err)
	}
	return nil
}

// ReadManifest returns the manifest of a backup, nil if it has none.
func ReadManifest(file string) (*Manifest, error) {
	text, err := os.ReadFile(ManifestOf(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := new(Manifest)
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the manifest of the backup: %w", err)
	case m.Format != format:
		return nil, fmt.Errorf("%s has the format %q: this program reads %s", ManifestOf(file), m.Format, format)
	}
	return m, nil
}

// Matches returns an error that wraps audit.ErrUnsound unless the file is the one that was
// backed up, and holds the same logs.
func (m *Manifest) Matches(file string, logs []Log) error {
	bytes, sum, err := digest(file)
	switch {
	case err != nil:
		return err
	case bytes != m.Bytes || sum != m.SHA256:
		return fmt.Errorf("%w: %s has %d bytes and the SHA-256 %s, and had %d and %s when it was made",
			audit.ErrUnsound, file, bytes, sum, m.Bytes, m.SHA256)
	case !slices.Equal(logs, m.Logs):
		return fmt.Errorf("%w: %s does not hold the logs of its manifest", audit.ErrUnsound, file)
	}
	return nil
}

// digest returns the size and the SHA-256 of a file.
func digest(file string) (int64, string, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, "", fmt.Errorf("reading the backup: %w", err)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return 0, "", fmt.Errorf("reading the backup: %w", err)
	}
	return n, hex.EncodeToString(sum.Sum(nil)), nil
}

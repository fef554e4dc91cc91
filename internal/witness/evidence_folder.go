package witness

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/internal/durable"
)

const (
	// evidenceSuffix ends the name of the folder with evidence, beside the store.
	evidenceSuffix = ".evidence"
	fileSuffix     = ".txt"
	// maxProven and maxUnproven are how many files are kept for a log. They are counted apart: a wrong proof,
	// which anybody can send, takes no room from what proves something.
	maxProven, maxUnproven = 16, 16
)

// ErrNoRoom: there is as much evidence against the log as is kept.
var ErrNoRoom = errors.New("as much evidence against this log is there as is kept: move it to a safe place to make room")

// LogID returns the name of a log in paths: the SHA-256 of its origin in hexadecimal digits.
func LogID(origin string) string {
	digest := sha256.Sum256([]byte(origin))
	return hex.EncodeToString(digest[:])
}

// evidenceFolder has a file for each piece of evidence: <log>-<verdict>-<size>-<root>.txt, with the size and root of
// the head that was refused. The same head is kept once for each verdict.
type evidenceFolder string

// prefix begins the names of a log's files.
func prefix(origin string) string { return LogID(origin)[:16] + "-" }

func fileName(origin string, verdict Verdict, size uint64, root tlog.Hash) string {
	return fmt.Sprintf("%s%s-%d-%x%s", prefix(origin), verdict, size, root[:8], fileSuffix)
}

func (d evidenceFolder) keep(origin string, e Evidence, f Finding) error {
	name := fileName(origin, f.Verdict, f.Refused.Size, f.Refused.Root)
	names := d.names(origin)
	if slices.Contains(names, name) {
		return nil
	}
	all, proven := count(names)
	if f.Verdict.Contradicts() && proven >= maxProven || !f.Verdict.Contradicts() && all-proven >= maxUnproven {
		return ErrNoRoom
	}
	if err := durable.MakeFolder(string(d)); err != nil {
		return fmt.Errorf("keeping evidence: %w", err)
	}
	return durable.Replace(filepath.Join(string(d), name), e.Encode(), 0o600)
}

func (d evidenceFolder) dropUnproven(head Head) {
	_ = os.Remove(filepath.Join(string(d), fileName(head.Origin, Unproven, head.Size, head.Root)))
}

// names returns the files about a log. A folder that cannot be read has none: keep will say why.
func (d evidenceFolder) names(origin string) (names []string) {
	entries, _ := os.ReadDir(string(d))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix(origin)) && strings.HasSuffix(entry.Name(), fileSuffix) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func (d evidenceFolder) count(origin string) (all, proven int) { return count(d.names(origin)) }

func count(names []string) (all, proven int) {
	for _, name := range names {
		if !strings.Contains(name, "-"+string(Unproven)+"-") {
			proven++
		}
	}
	return len(names), proven
}

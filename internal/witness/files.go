package witness

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/durable"
)

// Files is the Store of a process: a file with the heads, and the one beside the key (SignedTrees). A head is
// written into the first before the second, and the cosignature leaves after both: a crash between them leaves a
// store that has more than was signed, never less.
type Files struct {
	witness  *cosignature.Verifier
	path     string
	signed   string
	evidence evidenceFolder

	mu    sync.RWMutex // guards the rest, and that one at a time writes
	heads []Head       // sorted by origin
	// noted are trees that the key has signed, though the store does not have them.
	noted map[string]SignedTree
}

// OpenFiles opens the store at path of the witness with this key in keyFile, or begins it. The caller holds the
// Lock of the key. It refuses a store that has less than the key has signed.
func OpenFiles(path, keyFile string, witness *cosignature.Verifier) (*Files, error) {
	f := &Files{witness: witness, path: path, signed: SignedFile(keyFile), evidence: evidenceFolder(path + evidenceSuffix), noted: map[string]SignedTree{}}
	signed, err := readSigned(f.signed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing, which says what the key %s has signed: put it back. Without it nobody knows whether this key "+
			"would sign a second history: if it is lost, %s", f.signed, keyFile, newKeyAdvice)
	}
	if err != nil {
		return nil, err
	}
	if signed.Witness.String() != witness.String() {
		return nil, fmt.Errorf("%s is about the key %s, and %s holds %s: put the two back together", f.signed, signed.Witness, keyFile, witness)
	}
	switch text, err := os.ReadFile(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("reading the store: %w", err)
	default:
		state, err := ParseState(text)
		if err != nil {
			return nil, fmt.Errorf("the store %s: %w", path, err)
		}
		if state.Witness.String() != witness.String() {
			return nil, fmt.Errorf("the store %s is of the witness %s, and the key is %s: give each key a store of its own", path, state.Witness, witness)
		}
		f.heads = state.Heads
	}
	for _, tree := range signed.Trees {
		if err := f.holds(tree); err != nil {
			return nil, err
		}
	}
	// A crash may have left the file beside the key behind the store.
	return f, durable.Replace(f.signed, f.signedTrees(f.heads).Encode(), 0o600)
}

// newKeyAdvice is the way out for a witness that does not know any more what it has signed.
const newKeyAdvice = "begin with a new key and another name (--key, --name, and a new --store), and give the operators of the logs its public key"

// holds returns an error if the store has less than the key has signed.
func (f *Files) holds(tree SignedTree) error {
	head, _ := f.Head(tree.Origin)
	switch {
	case head.Signed == nil:
		return fmt.Errorf("the store %s does not have the log %s, which this key has signed with %d records: an older copy was put back, or the store is lost. "+
			"A witness that goes on from it could sign a second history. Put the newest store back; if it is lost, %s", f.path, tree.Origin, tree.Size, newKeyAdvice)
	case head.Size < tree.Size:
		return fmt.Errorf("the store %s has the log %s with %d records, and this key has signed %d: an older copy was put back. "+
			"A witness that goes on from it could sign a second history. Put the newest store back; if it is lost, %s", f.path, tree.Origin, head.Size, tree.Size, newKeyAdvice)
	case head.Size == tree.Size && head.Root != tree.Root:
		return fmt.Errorf("the store %s has another log %s with %d records than this key has signed: it is not the store of this key. "+
			"Put its own store back; if it is lost, %s", f.path, tree.Origin, tree.Size, newKeyAdvice)
	}
	return nil
}

// find returns the place of a log among the heads.
func find(heads []Head, origin string) (int, bool) {
	return slices.BinarySearchFunc(heads, origin, func(h Head, origin string) int { return cmp.Compare(h.Origin, origin) })
}

// Head implements Store.
func (f *Files) Head(origin string) (Head, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	i, found := find(f.heads, origin)
	if !found {
		return Head{}, false
	}
	return f.heads[i], true
}

// Keep implements Store.
func (f *Files) Keep(head Head) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	heads := slices.Clone(f.heads)
	if i, found := find(heads, head.Origin); found {
		heads[i] = head
	} else {
		heads = slices.Insert(heads, i, head)
	}
	if err := durable.Replace(f.path, State{f.witness, heads}.Encode(), 0o600); err != nil {
		return err
	}
	if err := durable.Replace(f.signed, f.signedTrees(heads).Encode(), 0o600); err != nil {
		return err
	}
	f.heads = heads // only what both files have
	return nil
}

// signedTrees returns all that the key has signed, if these are the heads of the store.
func (f *Files) signedTrees(heads []Head) SignedTrees {
	trees := map[string]SignedTree{}
	for _, head := range heads {
		trees[head.Origin] = SignedTree{head.Origin, head.Size, head.Root}
	}
	maps.Copy(trees, f.noted)
	s := SignedTrees{Witness: f.witness}
	for _, origin := range slices.Sorted(maps.Keys(trees)) {
		s.Trees = append(s.Trees, trees[origin])
	}
	return s
}

// NoteSigned implements Store.
func (f *Files) NoteSigned(tree SignedTree) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noted[tree.Origin] = tree
	return durable.Replace(f.signed, f.signedTrees(f.heads).Encode(), 0o600)
}

// KeepEvidence implements Store.
func (f *Files) KeepEvidence(origin string, e Evidence, finding Finding) error {
	return f.evidence.keep(origin, e, finding)
}

// DropUnproven implements Store.
func (f *Files) DropUnproven(head Head) { f.evidence.dropUnproven(head) }

// Evidence returns how many files speak against a log, and how many of them prove a contradiction.
func (f *Files) Evidence(origin string) (all, proven int) { return f.evidence.count(origin) }

package backend

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxRegisterErrors is how many faults of a register are reported at once.
const maxRegisterErrors = 20

// registerFile is a register while it is read from YAML. It reads on after a fault, so that
// one run reports all of them.
type registerFile struct {
	name   string
	faults []registerFault
}

// registerFault is one thing that is wrong with a register.
type registerFault struct {
	line int
	text string
}

// fault notes the mistake at a place and how to correct it.
func (f *registerFile) fault(at *yaml.Node, format string, args ...any) {
	f.faults = append(f.faults, registerFault{at.Line, fmt.Sprintf(format, args...)})
}

// err joins the first faults in the order of the lines; nil if there are none.
func (f *registerFile) err() error {
	slices.SortStableFunc(f.faults, func(a, b registerFault) int { return cmp.Compare(a.line, b.line) })
	var told []error
	for i, fault := range f.faults {
		if i == maxRegisterErrors {
			told = append(told, fmt.Errorf("%s: and %d more", f.name, len(f.faults)-i))
			break
		}
		told = append(told, fmt.Errorf("%s:%d: %s", f.name, fault.line, fault.text))
	}
	return errors.Join(told...)
}

// memberReaders are what a mapping may hold: how each member is read into a value.
type memberReaders[T any] map[string]func(f *registerFile, at *yaml.Node, into *T)

// readMapping reads a mapping by its members. The required ones must be there; no
// member may be there twice.
func readMapping[T any](f *registerFile, at *yaml.Node, into *T, known memberReaders[T], required ...string) {
	at = resolveAlias(at)
	if at.Kind != yaml.MappingNode {
		f.fault(at, "%s: write a mapping with %s", shownNode(at), memberNames(known))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(at.Content); i += 2 {
		key := at.Content[i]
		read := known[key.Value]
		switch {
		case read == nil:
			f.fault(key, "unknown member %q: write one of %s", key.Value, memberNames(known))
		case seen[key.Value]:
			f.fault(key, "%s is there twice: write it once", key.Value)
		default:
			seen[key.Value] = true
			read(f, at.Content[i+1], into)
		}
	}
	for _, name := range required {
		if !seen[name] {
			f.fault(at, "%s is missing: write it", name)
		}
	}
}

// readList reads each item of a list.
func readList(f *registerFile, at *yaml.Node, item func(*yaml.Node)) {
	at = resolveAlias(at)
	if at.Kind != yaml.SequenceNode {
		f.fault(at, "%s: write a list, [] for an empty one", shownNode(at))
		return
	}
	for _, n := range at.Content {
		item(n)
	}
}

// resolveAlias follows an alias to its anchor.
func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// shownBytes bounds what a fault quotes. A private key that is named in place of a register is one long text.
const shownBytes = 60

// shownNode is a value as a fault quotes it.
func shownNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	if len(n.Value) > shownBytes {
		return fmt.Sprintf("a text of %d bytes", len(n.Value))
	}
	return fmt.Sprintf("%q", n.Value)
}

func memberNames[V any](names map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

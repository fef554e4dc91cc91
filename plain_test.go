package fielato_test

import (
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEachPlainTestIsNamed: .ci/run tests what .ci/plain names without the race detector, and leaves tests of these names
// out of all other packages. So each line names a test that there is, and whatever has its name has a line.
func TestEachPlainTestIsNamed(t *testing.T) {
	list, err := os.ReadFile(".ci/plain")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(list), "\n"), "\n")
	if !slices.IsSorted(lines) {
		t.Error(".ci/plain is not in order")
	}
	listed, found := map[string]bool{}, map[string]bool{}
	names := map[string]bool{}
	for _, line := range lines {
		_, name, _ := strings.Cut(line, " ")
		listed[line], names[name] = true, true
	}
	for _, s := range sources(t) {
		if !s.test {
			continue
		}
		for _, declared := range s.syntax.Decls {
			if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil && names[function.Name.Name] {
				found[s.folder+" "+function.Name.Name] = true
			}
		}
	}
	if !maps.Equal(listed, found) {
		t.Errorf(".ci/plain has\n%s\nThere are\n%s", strings.Join(lines, "\n"), strings.Join(slices.Sorted(maps.Keys(found)), "\n"))
	}
}

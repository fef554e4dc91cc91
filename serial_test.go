package fielato_test

import (
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestSerialPackagesDoOneThingAtATime: .ci/run tests the packages of .ci/serial without the race detector. In their
// own code and in their tests nothing runs at the same time as anything else; what they import is tested with the
// race detector elsewhere.
func TestSerialPackagesDoOneThingAtATime(t *testing.T) {
	list, err := os.ReadFile(".ci/serial")
	if err != nil {
		t.Fatal(err)
	}
	serial := strings.Fields(string(list))
	if !slices.IsSorted(serial) {
		t.Error(".ci/serial is not in order")
	}
	tested := map[string]bool{}
	for _, s := range sources(t) {
		if !slices.Contains(serial, s.folder) {
			continue
		}
		tested[s.folder] = tested[s.folder] || s.test
		for _, imported := range []string{"sync", "sync/atomic"} {
			if slices.Contains(s.imports, imported) {
				t.Errorf("%s imports %s: take %s out of .ci/serial", s.file, imported, s.folder)
			}
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			what := ""
			switch n := n.(type) {
			case *ast.GoStmt:
				what = "go"
			case *ast.SelectorExpr:
				if slices.Contains([]string{"Go", "Parallel", "AfterFunc", "NewServer", "NewTLSServer", "NewUnstartedServer"}, n.Sel.Name) {
					what = n.Sel.Name
				}
			}
			if what != "" {
				t.Errorf("%s: %s starts a goroutine: take %s out of .ci/serial", s.file, what, s.folder)
			}
			return true
		})
	}
	for _, folder := range serial {
		if !tested[folder] {
			t.Errorf(".ci/serial: %s has no tests", folder)
		}
	}
}

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

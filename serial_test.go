package fielato_test

import (
	"go/ast"
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

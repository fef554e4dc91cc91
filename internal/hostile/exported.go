package hostile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// exported lists the exported functions of the package in the working folder, and the exported
// methods of its exported types, with the name of the type and a dot before them.
func exported(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.IsExported() {
				if name := exportedName(f); name != "" {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func exportedName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	name, ok := receiver.(*ast.Ident)
	if !ok || !name.IsExported() {
		return ""
	}
	return name.Name + "." + f.Name.Name
}

// Missing reports the exported functions that were not called.
func Missing(t *testing.T, called []string) {
	t.Helper()
	for _, name := range exported(t) {
		if !slices.Contains(called, name) {
			t.Errorf("%s is exported and was not called", name)
		}
	}
}

package pgo

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Functions are those that the sources of a module declare, by their names in profiles. A method's receiver
// is written without its star.
type Functions struct {
	module   string
	declared map[string]bool
}

// FunctionsOf reads the sources of a module from its folder. Tests and data of tests do not count.
func FunctionsOf(folder fs.FS, module string) (Functions, error) {
	f := Functions{module, map[string]bool{}}
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f.declare(path.Join(module, path.Dir(name)), file)
		return nil
	})
	if err != nil {
		return f, fmt.Errorf("reading the sources of %s: %w", module, err)
	}
	return f, nil
}

func (f Functions) declare(pkg string, file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			f.declared[pkg+"."+name] = true
		case *ast.GenDecl: // functions in the values of variables are parts of init
			f.declared[pkg+".init"], f.declared[pkg+".glob"] = true, true
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// plain returns a function's name without the star and the parentheses of a receiver, and without a generic
// function's arguments, which may name types of other packages.
func plain(name string) string {
	var b strings.Builder
	depth := 0
	for _, c := range name {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 0 && !strings.ContainsRune("(*)", c):
			b.WriteRune(c)
		}
	}
	return b.String()
}

// has reports whether a function of a profile is declared. Closures count as the function around them.
func (f Functions) has(name string) bool {
	folder, last := path.Split(name)
	for i, c := range last { // .func1 is a closure, -fm a method as a value
		if (c == '.' || c == '-') && f.declared[folder+last[:i]] {
			return true
		}
	}
	return f.declared[folder+last]
}

// Stale returns the share of the samples in code of the module, by 1, whose function is no longer declared,
// and the names of these functions. A sample belongs to the innermost function of the module in its stack, which
// also answers for what it calls of others.
func (f Functions) Stale(p *profile.Profile) (share float64, gone []string) {
	names := map[string]bool{}
	var all, stale int64
	for _, sample := range p.Sample {
		name := f.innermost(sample)
		if name == "" {
			continue
		}
		all += sample.Value[0]
		if !f.has(name) {
			stale += sample.Value[0]
			names[name] = true
		}
	}
	if all == 0 {
		return 1, nil // of a module that the profile does not know, all is new
	}
	return float64(stale) / float64(all), slices.Sorted(maps.Keys(names))
}

func (f Functions) innermost(s *profile.Sample) string {
	for _, location := range s.Location {
		for _, line := range location.Line {
			name := line.Function.Name
			if strings.HasPrefix(name, f.module+"/") || strings.HasPrefix(name, f.module+".") {
				return plain(name)
			}
		}
	}
	return ""
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strings"
)

// comments are the doc comments of types and their fields. The key is the type's name, or
// Type.Field.
type comments map[string]string

// readComments reads the comments of the package in a folder.
func readComments(folder string) (comments, error) {
	noTests := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
	//nolint:staticcheck // one folder without build tags is all that there is to read
	packages, err := parser.ParseDir(token.NewFileSet(), folder, noTests, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("reading the comments of the types: %w", err)
	}
	all := comments{}
	for _, p := range packages {
		for _, file := range p.Files {
			all.addFile(file)
		}
	}
	return all, nil
}

func (c comments) addFile(file *ast.File) {
	for _, declaration := range file.Decls {
		types, ok := declaration.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		for _, spec := range types.Specs {
			named := spec.(*ast.TypeSpec)
			doc := named.Doc
			if doc == nil {
				doc = types.Doc
			}
			c.add(named.Name.Name, doc)
			object, ok := named.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range object.Fields.List {
				for _, name := range field.Names {
					c.add(named.Name.Name+"."+name.Name, field.Doc)
				}
			}
		}
	}
}

// sources matches references in a comment to pages that clients do not have.
var sources = regexp.MustCompile(` \(docs/sources\.md[^)]*\)`)

func (c comments) add(key string, doc *ast.CommentGroup) {
	if doc != nil {
		c[key] = sources.ReplaceAllString(strings.Join(strings.Fields(doc.Text()), " "), "")
	}
}

// of returns the comment on a name as a sentence without the name in front.
func (c comments) of(key string) string {
	text := c[key]
	_, field, isField := strings.Cut(key, ".")
	if !isField {
		field = key
	}
	for _, lead := range []string{field + " is ", field + " are ", field + " "} {
		if rest, found := strings.CutPrefix(text, lead); found && !strings.HasPrefix(rest, "and ") {
			text = rest
			break
		}
	}
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

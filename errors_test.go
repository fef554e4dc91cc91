package fielato_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"testing"
)

// TestNoLetterFollowsAWrappedError: it would be printed right after the error's text.
func TestNoLetterFollowsAWrappedError(t *testing.T) {
	glued := regexp.MustCompile(`%w[A-Za-z0-9]`)
	for _, s := range sources(t) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && !s.test && glued.MatchString(text.Value) {
				t.Errorf("%s: %s", s.file, text.Value)
			}
			return true
		})
	}
}

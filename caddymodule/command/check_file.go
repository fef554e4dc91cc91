package command

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/fielato/fielato/caddymodule/internal/documents"
)

// fileChecker judges the documents of files.
type fileChecker struct {
	documents.Judge
	// stdin is the content of the file "-".
	stdin io.Reader
}

// checkedFile is what was found about a document of a file, or about a file without one.
type checkedFile struct {
	name string
	*documents.Result
}

// file judges every document of a file, "-" for stdin. Errors of the file are reported as
// findings; the error returned is report's.
func (c *fileChecker) file(name string, report func(*checkedFile) error) error {
	input := io.NopCloser(c.stdin)
	if name != "-" {
		opened, err := os.Open(name)
		if err != nil {
			return report(noFile(name, 0, err))
		}
		input = opened
	}
	defer input.Close()
	reader := documents.NewReader(input, documents.MaxDocument)
	for count := 0; ; count++ {
		doc, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF) && count == 0:
			empty := &checkedFile{name, &documents.Result{Line: 1}}
			empty.CannotRead(documents.CodeSyntax, documents.SyntaxText(err))
			return report(empty)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return report(noFile(name, reader.Line(), err))
		}
		if err := report(&checkedFile{name, c.Document(doc)}); err != nil {
			return err
		}
	}
}

func noFile(name string, line int, err error) *checkedFile {
	c := &checkedFile{name, &documents.Result{Line: line}}
	c.CannotRead(documents.CodeUnreadable, "No se puede leer el archivo: "+whyUnread(err)+".")
	return c
}

// whyUnread says in Spanish why a file cannot be read. The texts of the system are in English.
func whyUnread(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no existe"
	case errors.Is(err, fs.ErrPermission):
		return "falta el permiso"
	case errors.Is(err, syscall.EISDIR):
		return "es una carpeta"
	}
	return err.Error()
}

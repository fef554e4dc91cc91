package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// readDocument returns all that a file holds, "-" for stdin.
func readDocument(stdin io.Reader, name string) ([]byte, error) {
	input := io.NopCloser(stdin)
	if name != "-" {
		opened, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printableName(name), errors.Unwrap(err))
		}
		input = opened
	}
	defer input.Close()
	body, err := io.ReadAll(io.LimitReader(input, documents.MaxDocument+1))
	if pathError := new(os.PathError); errors.As(err, &pathError) {
		err = pathError.Err
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", printableName(name), err)
	case len(body) > documents.MaxDocument:
		return nil, fmt.Errorf("%s: it is larger than %d bytes", printableName(name), documents.MaxDocument)
	case len(bytes.Trim(body, forms.Blanks)) == 0:
		return nil, fmt.Errorf("%s: it is empty", printableName(name))
	}
	return body, nil
}

// printableName returns the name of a file for a message.
func printableName(file string) string {
	if file == "-" {
		return "the standard input"
	}
	return printable.OneLine(file)
}

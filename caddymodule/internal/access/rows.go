package access

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/internal/clients"
)

// UnmarshalRow reads the block of one client or reader; the role is the current token:
//
//	client <name> {
//		<word> <arguments>…
//	}
func UnmarshalRow(d *caddyfile.Dispenser) (row clients.Row, err error) {
	row.Role, row.Line = clients.Role(d.Val()), directive.Line(d)
	if !d.AllArgs(&row.Name) {
		return row, d.Errf("%s: write %[1]s <name> { … }", row.Role)
	}
	return row, directive.ReadBlock(d, d.Nesting(), &row, options(row.Role))
}

// placeholder finds the placeholders that other options replace.
var placeholder = regexp.MustCompile(`\{(?:\$|env\.|file\.|http\.)`)

// checkPlaceholders refuses identities with a placeholder in them. They are compared as they stand, so nobody
// would be that client, and everybody would get 403.
func checkPlaceholders(rows []clients.Row) error {
	for _, row := range rows {
		for _, text := range slices.Concat(row.User, row.Certificate, row.CertificateSAN, row.Ticket) {
			if placeholder.MatchString(text) {
				return directive.At(row.Line, fmt.Errorf("%s %s: %q has a placeholder, which is not replaced here: write the text itself, or {$NAME} in a Caddyfile",
					cmp.Or(row.Role, clients.RoleClient), row.Name, text))
			}
		}
	}
	return nil
}

// errWhole: a file has more than rows. A row takes no block, since one line is one row.
var errWhole = errors.New("write one line for each client: its name, and words with their arguments, such as shop user shop cuits 20-11111111-2 may issue query")

// readFile reads a file of rows: one line for each, with quotes as in a Caddyfile. A line begins with the role,
// which may be left out for a client, and the name.
func readFile(path string) ([]clients.Row, error) {
	text, err := readRegular(path)
	if err != nil {
		return nil, fmt.Errorf("reading the clients: %w", directive.ErrorOfFile(err))
	}
	return ParseRows(text, path)
}

// maxFile bounds a file of rows, in bytes: a hundred thousand rows of some 600 bytes.
const maxFile = 64 << 20

// errNoFile: the rows are watched, which takes a file. Reading a pipe or a device might never end, and hold up the
// end of the configuration.
var errNoFile = fmt.Errorf("it is no regular file of at most %d MiB: write the rows into one", maxFile>>20)

func readRegular(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		return nil, fmt.Errorf("%s: %w", path, errNoFile)
	}
	return os.ReadFile(path) //nolint:wrapcheck // the caller says what it is for
}

// ParseRows reads the lines of a file of rows. An error names the line in the file.
func ParseRows(text []byte, file string) (rows []clients.Row, err error) {
	if len(text) == 0 {
		return nil, nil // the tokenizer takes it for a mistake
	}
	tokens, err := caddyfile.Tokenize(text, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for len(tokens) > 0 {
		n := 1
		for n < len(tokens) && tokens[n].Line == tokens[0].Line {
			n++
		}
		line := fmt.Sprintf("%s:%d", file, tokens[0].Line)
		row, err := parseLine(tokens[:n])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		row.Line = line
		rows, tokens = append(rows, row), tokens[n:]
	}
	return rows, nil
}

// parseLine reads one line. A token in quotes is no word.
func parseLine(tokens []caddyfile.Token) (row clients.Row, err error) {
	if first := tokens[0]; !first.Quoted() && (first.Text == string(clients.RoleClient) || first.Text == string(clients.RoleReader)) {
		row.Role, tokens = clients.Role(first.Text), tokens[1:]
	}
	if len(tokens) < 2 {
		return row, errWhole
	}
	row.Name, tokens = tokens[0].Text, tokens[1:]
	words := clients.Words(row.Role)
	isWord := func(t caddyfile.Token) bool { return !t.Quoted() && slices.Contains(words, t.Text) }
	for len(tokens) > 0 {
		word := tokens[0].Text
		if tokens[0].Quoted() || tokens[0].NumLineBreaks() > 0 {
			return row, fmt.Errorf("%q: %w", word, errWhole)
		}
		n := 1
		var arguments []string
		for ; n < len(tokens) && !isWord(tokens[n]); n++ {
			arguments = append(arguments, tokens[n].Text)
		}
		if err := row.Set(word, arguments); err != nil {
			return row, fmt.Errorf("%s: %w", row.Name, err)
		}
		tokens = tokens[n:]
	}
	return row, nil
}

package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// Status is how a thing is.
type Status string

const (
	good    Status = "ok"
	warning Status = "warning"
	problem Status = "problem"
)

// result is one line of the report. Cure is empty where nothing is to be done.
type result struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Cure   string `json:"cure"`
}

func ok(check, format string, args ...any) result {
	return result{Check: check, Status: good, Found: fmt.Sprintf(format, args...)}
}

func warn(check, cure, format string, args ...any) result {
	return result{Check: check, Status: warning, Found: fmt.Sprintf(format, args...), Cure: cure}
}

func bad(check, cure, format string, args ...any) result {
	return result{Check: check, Status: problem, Found: fmt.Sprintf(format, args...), Cure: cure}
}

// report prints results for people.
type report struct{ view.Painter }

// maxName is the longest name of a check that its text stands beside, on a terminal. Behind a longer one, which has an
// address in it, there is no room.
const maxName = 24

// print writes a line for each result, and its cure below.
func (p report) print(w io.Writer, results []result) error {
	marks := map[Status]string{good: p.Good("✔"), warning: p.Notable("!"), problem: p.Bad("✘")}
	width, name := table.Width(w), 0
	for _, r := range results {
		if n := utf8.RuneCountInString(r.Check); width == 0 || n <= maxName {
			name = max(name, n)
		}
	}
	var b strings.Builder
	for _, r := range results {
		beginning := fmt.Sprintf("%s %-*s ", marks[r.Status], name, r.Check)
		if utf8.RuneCountInString(r.Check) > name {
			b.WriteString(strings.TrimRight(beginning, " ") + "\n")
			beginning = fmt.Sprintf("  %*s ", name, "")
		}
		table.Hang(&b, beginning, printable.OneLine(r.Found), width)
		if r.Cure != "" {
			table.Hang(&b, fmt.Sprintf("  %*s → ", name, ""), printable.OneLine(r.Cure), width)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printLines writes a JSON object for each result.
func printLines(w io.Writer, results []result) error {
	for _, r := range results {
		// An answer of the service need not be valid UTF-8.
		line, err := json.Marshal(r, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

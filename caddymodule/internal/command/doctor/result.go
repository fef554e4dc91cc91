package doctor

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

// table prints results for people.
type table struct{ view.Painter }

// print writes a line for each result, and its cure below.
func (t table) print(w io.Writer, results []result) error {
	marks := map[Status]string{good: t.Good("✔"), warning: t.Notable("!"), problem: t.Bad("✘")}
	width := 0
	for _, r := range results {
		width = max(width, len(r.Check))
	}
	for _, r := range results {
		if _, err := fmt.Fprintf(w, "%s %-*s %s\n", marks[r.Status], width, r.Check, printable.OneLine(r.Found)); err != nil {
			return err
		}
		if r.Cure == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "  %*s → %s\n", width, "", printable.OneLine(r.Cure)); err != nil {
			return err
		}
	}
	return nil
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

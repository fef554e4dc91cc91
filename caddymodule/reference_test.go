package caddymodule_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/validate"
)

// TestReferenceIsFresh: docs/reference.md agrees with the tables of the code.
func TestReferenceIsFresh(t *testing.T) {
	if errDescribed != nil {
		t.Fatal(errDescribed)
	}
	page, err := template.New("REFERENCE.tmpl").Funcs(template.FuncMap{
		"options": optionTable, "metrics": metricTable, "commands": func() string { return commandTable(t) },
		"faults": func() string { return codeSpans(caddymodule.FaultKinds()) },
		"shape":  func() string { return codeSpans(shapeCodes("shape.")) },
		"answer": func() string { return codeSpans(shapeCodes("answer.")) },
	}).ParseFiles("testdata/reference/REFERENCE.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var fresh bytes.Buffer
	if err := page.Execute(&fresh, nil); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../docs/reference.md", fresh.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile("../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, fresh.Bytes()) {
		t.Error("docs/reference.md is stale: run go test ./caddymodule -run Reference -update")
	}
}

// TestReferenceHasEveryWord that a client or an operator may meet. The template writes these by hand.
func TestReferenceHasEveryWord(t *testing.T) {
	page, err := os.ReadFile("../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	words := append(caddymodule.Outcomes(), caddymodule.AdminPaths()...)
	refusal := regexp.MustCompile(`(?i)\brefuse\([\w.]+, audit\.Outcome\w+, "([^"]+)"`)
	found := 0
	err = filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		source, err := os.ReadFile(file)
		for _, match := range refusal.FindAllSubmatch(source, -1) {
			words = append(words, string(match[1]))
			found++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 15 {
		t.Errorf("only %d codes were found in the sources", found)
	}
	for _, word := range words {
		if !bytes.Contains(page, []byte("`"+word+"`")) {
			t.Errorf("the reference lacks `%s`", word)
		}
	}
}

// TestOptionsSayWhatTheyDo: each has a meaning and what holds without it.
func TestOptionsSayWhatTheyDo(t *testing.T) {
	for block, options := range caddymodule.OptionTables {
		for _, o := range options {
			if o.Meaning == "" || o.Fallback == "" || strings.HasSuffix(o.Meaning, ".") {
				t.Errorf("%s %s: %q, %q", block, o.Name, o.Meaning, o.Fallback)
			}
		}
	}
}

// optionTable is the syntax of a block and what its options say.
func optionTable(block, head string) (string, error) {
	options, ok := caddymodule.OptionTables[block]
	if !ok {
		return "", fmt.Errorf("no options of %q", block)
	}
	width := 0
	for _, o := range options {
		width = max(width, len(o.Name))
	}
	var syntax, table strings.Builder
	for _, o := range options {
		syntax.WriteString(strings.TrimRight(fmt.Sprintf("\t%-*s %s", width, o.Name, o.Arguments), " ") + "\n")
		meaning := o.Meaning
		if o.Repeatable {
			meaning += ". May be given more than once"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", o.Name, cell(meaning), cell(o.Fallback))
	}
	return "```\n" + head + " {\n" + syntax.String() + "}\n```\n\n| option | what it says | default |\n|---|---|---|\n" +
		strings.TrimSuffix(table.String(), "\n"), nil
}

// cell is a text that can stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func codeSpans(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

func shapeCodes(prefix string) []string {
	return slices.DeleteFunc(validate.ShapeCodes(), func(code string) bool { return !strings.HasPrefix(code, prefix) })
}

// commandTable lists the commands that can be run.
func commandTable(t *testing.T) string {
	var table strings.Builder
	table.WriteString("| command | what it does |\n|---|---|\n")
	for _, c := range caddytest.Commands(t) {
		if c.HasSubCommands() && !strings.Contains(c.Command.Use, " ") {
			continue // a group does nothing itself
		}
		fmt.Fprintf(&table, "| `fielato %s` | %s |\n", cell(c.Use), cell(c.Short))
	}
	return table.String() + "\n" + variableTable(t)
}

var namedVariable = regexp.MustCompile(`environment variable (FIELATO_\w+)`)

// variableTable lists the variables of the environment that stand in for flags, as the help of the flags names them.
func variableTable(t *testing.T) string {
	flags := map[string][]string{}
	for _, c := range caddytest.Commands(t) {
		add := func(f *pflag.Flag) {
			if found := namedVariable.FindStringSubmatch(f.Usage); found != nil && !slices.Contains(flags[found[1]], "--"+f.Name) {
				flags[found[1]] = append(flags[found[1]], "--"+f.Name)
			}
		}
		c.LocalFlags().VisitAll(add)
		c.InheritedFlags().VisitAll(add)
	}
	table := "| variable | stands for |\n|---|---|\n"
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		slices.Sort(flags[name])
		table += fmt.Sprintf("| `%s` | %s |\n", name, codeSpans(flags[name]))
	}
	return strings.TrimSuffix(table, "\n")
}

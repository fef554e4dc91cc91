package rules_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
)

// tableCase is a case of testdata/cases: a lot in short and the expected findings in it.
type tableCase struct {
	name            string
	template        string
	changes         []string
	invoices, found []string
}

// readTable reads the files of testdata/cases. invoices.txt describes the format.
func readTable(t *testing.T) []*tableCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var cases []*tableCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c *tableCase
		for i, line := range strings.Split(string(text), "\n") {
			word, rest, _ := strings.Cut(line, " ")
			rest = strings.TrimSpace(rest)
			switch {
			case line == "" || word == "#":
			case word == "case":
				c = &tableCase{name: rest}
				cases = append(cases, c)
			case c != nil && word == "like":
				words := strings.Fields(rest)
				c.template, c.changes = words[0], words[1:]
			case c != nil && word == "invoice":
				c.invoices = append(c.invoices, rest)
			case c != nil && word == "found":
				c.found = append(c.found, rest)
			default:
				t.Fatalf("%s:%d: %q is no line of a case", file, i+1, line)
			}
		}
	}
	return cases
}

// amountsOfAnInvoice are what each invoice of a case gives anew.
var amountsOfAnInvoice = []string{
	"ImpTotal", "ImpTotConc", "ImpNeto", "ImpOpEx", "ImpTrib", "ImpIVA", "Iva", "Tributos",
}

// body writes the lot: as many copies of the template as there are invoices, each
// with its own amounts and none of the template's.
func (c *tableCase) body(t *testing.T) (operation string, body []byte) {
	t.Helper()
	changes := []string{"x" + strconv.Itoa(len(c.invoices))}
	for i, short := range c.invoices {
		at := strconv.Itoa(i) + ":"
		for _, member := range amountsOfAnInvoice {
			changes = append(changes, "-"+at+member)
		}
		invoice := validatetest.NodeOf(t, invoiceJSON(short)).(map[string]validatetest.Node)
		for name, value := range invoice {
			var text bytes.Buffer
			validatetest.WriteNode(&text, value)
			changes = append(changes, at+name+"="+text.String())
		}
	}
	return validatetest.Changed(t, c.name, c.template, append(changes, c.changes...))
}

func TestTheCasesOfTheTable(t *testing.T) {
	for _, c := range readTable(t) {
		t.Run(c.name, func(t *testing.T) {
			operation, body := c.body(t)
			findings := newRules(t).Judge(decoded(t, c.name, operation, body), validatetest.Noon)
			var got []string
			for i, line := range lines(findings) {
				got = append(got, fmt.Sprintf("%d %s", findings[i].Invoice, line))
			}
			if g, w := strings.Join(got, "\n"), strings.Join(c.found, "\n"); g != w {
				t.Errorf("\n got %s\nwant %s", g, w)
			}
		})
	}
}

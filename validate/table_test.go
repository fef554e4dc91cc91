package validate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tableCase is a case of testdata/cases: a lot in short and what is to be found in it.
type tableCase struct {
	name              string
	cbteTipo, cantReg int
	invoices, found   []string
}

// readTable reads the files of testdata/cases; invoices.txt tells the form.
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
			case c != nil && word == "type":
				numbers := append(strings.Fields(rest), "0")
				c.cbteTipo, _ = strconv.Atoi(numbers[0])
				c.cantReg, _ = strconv.Atoi(numbers[1])
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

func TestTheCasesOfTheTable(t *testing.T) {
	for _, c := range readTable(t) {
		t.Run(c.name, func(t *testing.T) {
			cantReg := len(c.invoices)
			if c.cantReg != 0 {
				cantReg = c.cantReg
			}
			_, findings := judge(t, "FECAESolicitar", lotJSON("FECAESolicitar", cantReg, c.cbteTipo, c.invoices...))
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

package table

import (
	"strings"
	"testing"
)

// printed returns the table as a terminal of this width shows it.
func printed(t *testing.T, table *Table, width int) string {
	t.Helper()
	var b strings.Builder
	l := table.fit(width, false)
	l.write(&b, table.head())
	for _, row := range table.rows {
		l.write(&b, row)
	}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSuffix(line, "\n"); width > 0 && length(line) > width || strings.HasSuffix(line, " ") {
			t.Errorf("%d characters in %d: %q", length(line), width, line)
		}
	}
	return b.String() + l.lost()
}

func invoices() *Table {
	t := New(Column{Head: "INDEX", Right: true}, Moment("TIME"), Column{Head: "OPERATION", Least: 14},
		Column{Head: "CUIT", Drop: 2}, Column{Head: "CAE"}, Column{Head: "CERTAINTY", Drop: 1})
	t.Row("7", "2026-11-15 09:00:00.000-03:00", "FECAEASinMovimientoConsultar", "20111111112", "96470000000034", "\x1b[32manswered\x1b[39m")
	t.Row("12345", "2026-11-15 09:00:01.000-03:00", "FEDummy", "20111111112", "-", "\x1b[31munknown\x1b[39m")
	return t
}

const footer = `. A wider terminal, "| less -S" or --format json shows all.)`

// TestATableFits: it does as little as necessary, and names the missing columns.
func TestATableFits(t *testing.T) {
	for width, want := range map[int]string{
		0: "INDEX  TIME                           OPERATION                     CUIT         CAE             CERTAINTY\n" +
			"    7  2026-11-15 09:00:00.000-03:00  FECAEASinMovimientoConsultar  20111111112  96470000000034  \x1b[32manswered\x1b[39m\n" +
			"12345  2026-11-15 09:00:01.000-03:00  FEDummy                       20111111112  -               \x1b[31munknown\x1b[39m\n",
		90: "INDEX  TIME                 OPERATION               CUIT         CAE             CERTAINTY\n" +
			"    7  2026-11-15 09:00:00  FECAEASinMovimientoCo…  20111111112  96470000000034  \x1b[32manswered\x1b[39m\n",
		80: "INDEX  TIME                 OPERATION                  CAE             CERTAINTY\n" +
			"    7  2026-11-15 09:00:00  FECAEASinMovimientoConsu…  96470000000034  \x1b[32manswered\x1b[39m\n" +
			"12345  2026-11-15 09:00:01  FEDummy                    -               \x1b[31munknown\x1b[39m\n" +
			"(80 columns; the same in all rows: CUIT 20111111112; shortened: TIME, OPERATION" + footer,
		62: "INDEX  TIME                 OPERATION           CAE\n" +
			"    7  2026-11-15 09:00:00  FECAEASinMovimien…  96470000000034\n" +
			"12345  2026-11-15 09:00:01  FEDummy             -\n" +
			"(62 columns; left out: CERTAINTY; the same in all rows: CUIT 20111111112; shortened: TIME, OPERATION" + footer,
	} {
		if got := printed(t, invoices(), width); !strings.HasPrefix(got, want) {
			t.Errorf("in %d:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// TestTextsContinueBelow, and a long word is broken in a cell.
func TestTextsContinueBelow(t *testing.T) {
	table := New(Column{Head: "CLIENT"}, Column{Head: "IDENTITIES", Least: 12, Wrap: true}, Column{Head: "CUITS", Least: 11, Wrap: true})
	table.Row("shop", "user shop, certificate CN=erp.example.com", "20111111112 30500010912")
	want := "CLIENT  IDENTITIES    CUITS\n" +
		"shop    user shop,    20111111112\n" +
		"        certificate   30500010912\n" +
		"        CN=erp.examp\n" +
		"        le.com\n"
	if got := printed(t, table, 33); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestFieldsContinueBelow, but for words that are copied.
func TestFieldsContinueBelow(t *testing.T) {
	var b strings.Builder
	digest := strings.Repeat("0123456789abcdef", 4)
	Hang(&b, "request  ", "7 bytes, sha256 "+digest+", not kept", 40)
	if got, want := b.String(), "request  7 bytes, sha256\n         "+digest+",\n         not kept\n"; got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	b.Reset()
	Hang(&b, "request  ", "7 bytes, sha256 "+digest, 0)
	if strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%s", &b)
	}
}

// TestNumbersAreNeverCut: a table of them is wider than a very narrow terminal.
func TestNumbersAreNeverCut(t *testing.T) {
	table := New(Column{Head: "TYPE", Right: true}, Column{Head: "TOTAL", Right: true})
	table.Row("6", "123456789012.34")
	if l := table.fit(10, false); l.lost() != "" || l.total(false) != 21 {
		t.Errorf("%d, %s", l.total(false), l.lost())
	}
}

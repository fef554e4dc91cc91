package fill

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestATableHasTheConditionOfEachReceiver(t *testing.T) {
	table, err := parseTable(strings.NewReader("\ufeff# clientes\r\n80,30500010912,1\r\n\r\n 99 ; 0 ; 5\r\n96,30500010,5\n80,30500010912,1"))
	if err != nil {
		t.Fatal(err)
	}
	if len(table.receivers) != 3 {
		t.Errorf("%d receivers", len(table.receivers))
	}
	for _, c := range []struct {
		docTipo int32
		docNro  int64
		want    int32
	}{
		{80, 30500010912, 1},
		{99, 0, 5},
		{96, 30500010, 5},
		{86, 30500010912, 0},
		{96, 30500011, 0},
		{80, 0, 0},
		{-1, 0, 0},
		{1 << 30, 0, 0},
		{80, -1, 0},
		{99, 1 << 40, 0},
	} {
		if got, ok := table.condition(c.docTipo, c.docNro); got != c.want || ok != (c.want != 0) {
			t.Errorf("%d %d has %d, %v", c.docTipo, c.docNro, got, ok)
		}
	}
}

func TestABadTableIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "no receiver",
		"# nothing\n\n":                         "no receiver",
		"80,30500010912":                        "line 1",
		"99,0,5\n80,30500010912,1,2":            "line 2",
		"80,,1":                                 "line 1",
		",80,30500010912,1":                     "line 1",
		"DocTipo,DocNro,CondicionIVAReceptorId": "line 1",
		"80,30-50001091-2,1":                    "is no number",
		"80,-1,1":                               "is no number",
		"80,3.5,1":                              "is no number",
		"80,99999999999999999999,1":             "is no number",
		"80,305000109120,1":                     "more than 11 digits",
		"12345678901,0,1":                       "DocTipo",
		"4294967395,0,5":                        "DocTipo",
		"98,1,5":                                "DocTipo",
		"99,0,2":                                "CondicionIVAReceptorId 2 is none",
		"99,0,261":                              "CondicionIVAReceptorId 261 is none",
		"99,0,5\n96,1,5\n99,0,4":                "line 3: the receiver of line 1",
		"99,0,5\n" + strings.Repeat("#", 2000):  "line 2 is longer",
		"\x00":                                  "line 1",
	} {
		if _, err := parseTable(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func TestATableHasABound(t *testing.T) {
	var lines strings.Builder
	for i := range maxReceivers + 1 {
		fmt.Fprintf(&lines, "96,%d,5\n", i+1)
	}
	full := lines.String()
	if _, err := parseTable(strings.NewReader(full)); err == nil || !strings.Contains(err.Error(), "line 500001") {
		t.Errorf("%v", err)
	}
	table, err := parseTable(strings.NewReader(full[:strings.LastIndex(full, "96,")]))
	if err != nil || len(table.receivers) != maxReceivers || 8*cap(table.receivers) > 5<<20 {
		t.Errorf("%v", err)
	}
	if _, err := parseTable(strings.NewReader("99,0,5\n" + strings.Repeat("#"+strings.Repeat(" ", 1000)+"\n", 17<<10))); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
}

// TestTablesInAnyOrder find each of their receivers and no other.
func TestTablesInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		want, lines := map[string]int32{}, []string{}
		for range 200 {
			docTipo, docNro := []int32{80, 86, 96, 99, 0}[random.IntN(5)], random.Int64N(100)
			id := []int32{1, 4, 5, 6, 16}[random.IntN(5)]
			if key := fmt.Sprint(docTipo, " ", docNro); want[key] == 0 {
				want[key] = id
				lines = append(lines, fmt.Sprintf("%d,%d,%d", docTipo, docNro, id))
			}
		}
		table, err := parseTable(strings.NewReader(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		for docTipo := int32(-1); docTipo < 101; docTipo++ {
			for docNro := range int64(100) {
				if got, _ := table.condition(docTipo, docNro); got != want[fmt.Sprint(docTipo, " ", docNro)] {
					t.Fatalf("%d %d has %d", docTipo, docNro, got)
				}
			}
		}
	}
}

func TestATableOfAFileNamesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "receptores.csv")
	if _, err := ReadTable(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(path, []byte("99,0,9999"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTable(path); err == nil || !strings.Contains(err.Error(), path+": line 1") {
		t.Errorf("%v", err)
	}
}

func FuzzTable(f *testing.F) {
	f.Add([]byte("80,30500010912,1\n99;0;5\n# \n"))
	f.Add([]byte("\ufeff96,1,5\r\n96,1,6"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := parseTable(strings.NewReader(string(text)))
		if err != nil {
			return
		}
		if len(table.receivers) == 0 {
			t.Fatal("an empty table")
		}
		for _, one := range table.receivers {
			docTipo, docNro := int32(one>>48), int64(one>>8&(1<<40-1))
			if id, ok := table.condition(docTipo, docNro); !ok || uint64(id) != one&255 {
				t.Fatalf("%d %d has %d, %v", docTipo, docNro, id, ok)
			}
		}
	})
}

package backend

import (
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// TestTheBuiltInTablesCanBeReadBack: a copy of the built-in tables behaves like them.
func TestTheBuiltInTablesCanBeReadBack(t *testing.T) {
	folder := fstest.MapFS{}
	for _, from := range []fs.FS{os.DirFS("../../wsfev1/tables"), os.DirFS("tables")} {
		names, err := fs.Glob(from, "*.tsv")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(from, name)
			if err != nil {
				t.Fatal(err)
			}
			// As an editor on Windows would write it.
			folder[name] = &fstest.MapFile{Data: []byte("\ufeff" + strings.ReplaceAll(string(text), "\n", "\r\n"))}
		}
	}
	if len(folder) != len(tableColumns) {
		t.Errorf("%d files of %d tables", len(folder), len(tableColumns))
	}
	got, err := ReadTables(folder)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, tables) {
		t.Errorf("got %+v\nwant %+v", got, tables)
	}
}

func TestTablesWithMistakesSayWhere(t *testing.T) {
	const money = "Id\tDesc\tFchDesde\tFchHasta\n"
	for _, test := range []struct{ file, text, want string }{
		{"moneda", "", "moneda.tsv:1:1: the first line names the columns, with tabs between them: Id Desc FchDesde FchHasta"},
		{"moneda", "Id Desc FchDesde FchHasta\n", "moneda.tsv:1:1: the first line names the columns"},
		{"moneda", "Id\tTexto\tFchDesde\tFchHasta\n", "moneda.tsv:1:1: the first line"},
		{"moneda", money, "moneda.tsv:2:1: the table has no rows"},
		{"moneda", money + "PES\tPesos\t20090403\n", "moneda.tsv:2:1: the line has 3 columns, not 4: Id Desc FchDesde FchHasta"},
		{"moneda", money + "PES\tPesos\t20090403\tNULL\n\n", "moneda.tsv:3:1: the line has 1 columns"},
		{"moneda", money + "PESO\tPesos\t20090403\tNULL\n", `moneda.tsv:2:1: Id "PESO": write the three characters of a currency`},
		{"moneda", money + "PES\t \t20090403\tNULL\n", `moneda.tsv:2:5: Desc " ": write a text`},
		{"moneda", money + "PES\tDólar\t2009-04-03\tNULL\n", `moneda.tsv:2:11: FchDesde "2009-04-03": write a day as yyyymmdd, or NULL`},
		{"moneda", money + "PES\tPesos\t20090403\t20090431\n", `moneda.tsv:2:20: FchHasta "20090431"`},
		{"moneda", money + "PES\tPesos\xff\t20090403\tNULL\n", "moneda.tsv:2:1: the line is not UTF-8"},
		{"moneda", money + "PES\tPesos\t20090403\tNULL\nDOL\tx\t20090403\tNULL\nPES\ty\t20090403\tNULL\n", "moneda.tsv:4:1: PES stands in line 2 already"},
		{"cbte", money + "0\tx\t20090403\tNULL\n", `cbte.tsv:2:1: Id "0": write a whole number from 1 to 2147483647`},
		{"cbte", money + "007\tx\t20090403\tNULL\n", `cbte.tsv:2:1: Id "007"`},
		{"tributo", money + "32768\tx\t20090403\tNULL\n", `tributo.tsv:2:1: Id "32768": write a whole number from 1 to 32767`},
		{"condicion", "Id\tDesc\tCmp_Clase\tClases\n1\tx\tA\tM\n", `condicion.tsv:2:7: Clases "M": write the classes that admit it, of A, ALEY, B, C and 49`},
		{"cotizacion", "MonId\tFchCotiz\tMonCotiz\nDOL\tNULL\t1\n", `cotizacion.tsv:2:5: FchCotiz "NULL": write a day as yyyymmdd`},
		{"cotizacion", "MonId\tFchCotiz\tMonCotiz\nDOL\t20260101\t1,5\n", `cotizacion.tsv:2:14: MonCotiz "1,5": write a number above 0 with a point`},
		{"cotizacion", "MonId\tFchCotiz\tMonCotiz\nDOL\t20260101\t0\n", `cotizacion.tsv:2:14: MonCotiz "0"`},
		{"cotizacion", "MonId\tFchCotiz\tMonCotiz\nDOL\t20260101\t1\nDOL\t20260101\t2\n", "cotizacion.tsv:3:1: DOL 20260101 stands in line 2 already"},
		{"monedas", money + "PES\tPesos\t20090403\tNULL\n", "monedas.tsv: there is no such table: the names are those of actividad.tsv, cbte.tsv"},
	} {
		got, err := ReadTables(fstest.MapFS{test.file + ".tsv": {Data: []byte(test.text)}})
		if err == nil || got != nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %q: %v, want %s", test.file, test.text, err, test.want)
		}
	}
}

func TestTablesSayAllMistakesUpToABound(t *testing.T) {
	text := "Id\tDesc\n" + strings.Repeat("x\t\n", 100)
	_, err := ReadTables(fstest.MapFS{"pais.tsv": {Data: []byte(text)}, "cbte.tsv": {Data: []byte("")}})
	if err == nil || strings.Count(err.Error(), "\n") != maxTableErrors-1 || !strings.Contains(err.Error(), "cbte.tsv:1:1") ||
		!strings.Contains(err.Error(), "pais.tsv:3:3: Desc") {
		t.Error(err)
	}
	if _, err := ReadTables(fstest.MapFS{"README": {}}); err == nil {
		t.Error("a folder without tables was taken")
	}
}

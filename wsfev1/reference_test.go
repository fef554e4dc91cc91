package wsfev1_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fielato/fielato/wsfev1"
)

func TestTablesHaveAllRowsOnce(t *testing.T) {
	tables := wsfev1.Tables()
	for name, want := range map[string]struct {
		rows  any
		count int
	}{
		"iva":       {tables.Iva, 6},
		"concepto":  {tables.Concepto, 3},
		"doc":       {tables.Doc, 36},
		"cbte":      {tables.Cbte, 36},
		"tributo":   {tables.Tributo, 11},
		"opcional":  {tables.Opcional, 24},
		"moneda":    {tables.Moneda, 49},
		"pais":      {tables.Pais, 296},
		"condicion": {tables.CondicionIvaReceptor, 11},
	} {
		rows := reflect.ValueOf(want.rows)
		if rows.Len() != want.count {
			t.Errorf("%s has %d rows, want %d", name, rows.Len(), want.count)
		}
		seen := map[any]bool{}
		for i := range rows.Len() {
			row := rows.Index(i)
			id := row.FieldByName("Id").Interface()
			if seen[id] {
				t.Errorf("%s has %v twice", name, id)
			}
			seen[id] = true
			if row.FieldByName("Desc").String() == "" {
				t.Errorf("%s %v has no text", name, id)
			}
			if from := row.FieldByName("FchDesde"); from.IsValid() && !wsfev1.Date(from.String()).Valid() {
				t.Errorf("%s %v begins on %q", name, id, from)
			}
			if to := row.FieldByName("FchHasta"); to.IsValid() && to.String() != "NULL" {
				t.Errorf("%s %v ends on %q", name, id, to)
			}
		}
	}
}

func TestTheTypesOfTheTableAreThoseThatCanBeIssued(t *testing.T) {
	var listed []int32
	for _, row := range wsfev1.Tables().Cbte {
		listed = append(listed, row.Id)
	}
	slices.Sort(listed)
	if want := wsfev1.VoucherTypes(); !slices.Equal(listed, want) {
		t.Errorf("the table lists %v, can be issued %v", listed, want)
	}
}

func TestTheTextOfARateIsTheRate(t *testing.T) {
	for _, row := range wsfev1.Tables().Iva {
		rate, ok := wsfev1.IvaRate(int32(row.Id[0] - '0'))
		if !ok || len(row.Id) != 1 || rate.String()+"%" != row.Desc {
			t.Errorf("rate %s is %s (%v), its text is %s", row.Id, rate, ok, row.Desc)
		}
	}
}

type country struct {
	id     int64
	name   string
	amount wsfev1.Amount
}

func readCountry(c *wsfev1.Columns) country { return country{c.Number(0, 16), c.Text(1), c.Amount(2)} }

func TestATableFileIsReadInItsOrder(t *testing.T) {
	for _, end := range []string{"", "\n"} {
		files := fstest.MapFS{"t.tsv": {Data: []byte("Id\tDesc\tAmount\n7\tseven\t1.50\n-3\t\t2" + end)}}
		rows, err := wsfev1.ReadTable(files, "t.tsv", readCountry)
		want := []country{{7, "seven", wsfev1.MustAmount("1.50")}, {-3, "", wsfev1.MustAmount("2")}}
		if err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("%v (%v), want %v", rows, err, want)
		}
	}
}

func TestAMalformedTableFileIsRefusedWithItsLine(t *testing.T) {
	for text, place := range map[string]string{
		"Id\tDesc\tA\n1\ta\t1\n2\tb\n":      "line 3",
		"Id\tDesc\tA\n1\ta\t1\t9\n":         "line 2",
		"Id\tDesc\tA\n1\ta\t1\n\n2\tb\t1\n": "line 3",
		"Id\tDesc\tA\nx\ta\t1\n":            "line 2: column 0",
		"Id\tDesc\tA\n40000\ta\t1\n":        "line 2: column 0",
		"Id\tDesc\tA\n1\ta\t1,5\n":          "line 2: column 2",
		"Id\tDesc\n1\ta\n":                  "line 2: no column 2",
	} {
		files := fstest.MapFS{"t.tsv": {Data: []byte(text)}}
		rows, err := wsfev1.ReadTable(files, "t.tsv", readCountry)
		if err == nil || !strings.Contains(err.Error(), "t.tsv") || !strings.Contains(err.Error(), place) {
			t.Errorf("%q reads as %v with error %v, want one at %s", text, rows, err, place)
		}
	}
	if _, err := wsfev1.ReadTable(fstest.MapFS{}, "t.tsv", readCountry); err == nil {
		t.Error("a file that is not there was read")
	}
}

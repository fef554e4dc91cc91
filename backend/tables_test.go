package backend

import (
	"reflect"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

func TestTablesHaveAllRowsOnce(t *testing.T) {
	for name, want := range map[string]struct {
		rows  any
		count int
	}{
		"iva":       {tables.iva, 6},
		"concepto":  {tables.concepto, 3},
		"doc":       {tables.doc, 36},
		"cbte":      {tables.cbte, 36},
		"tributo":   {tables.tributo, 11},
		"opcional":  {tables.opcional, 24},
		"moneda":    {tables.moneda, 49},
		"pais":      {tables.pais, 296},
		"condicion": {tables.condicion, 11},
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

func TestVoucherTypesOfTheTableHaveAClass(t *testing.T) {
	for _, row := range tables.cbte {
		if wsfev1.ClassOf(row.Id) == "" {
			t.Errorf("type %d, %s, has no class", row.Id, row.Desc)
		}
	}
}

func TestRatesRiseInDateAndNameKnownCurrencies(t *testing.T) {
	known := map[string]bool{}
	for _, row := range tables.moneda {
		known[row.Id] = true
	}
	for currency, figures := range tables.cotizacion {
		if !known[currency] || currency == pesos {
			t.Errorf("there is a rate for %s", currency)
		}
		for i, f := range figures {
			if !f.FchCotiz.Valid() || f.MonCotiz.Sign() <= 0 || i > 0 && f.FchCotiz <= figures[i-1].FchCotiz {
				t.Errorf("rate %d of %s: %+v", i, currency, f)
			}
		}
	}
}

func TestFortnightsFollowTheCalendar(t *testing.T) {
	for _, test := range []struct {
		periodo                   int32
		orden                     int16
		opens, from, to, deadline wsfev1.Date
	}{
		{202107, 1, "20210626", "20210701", "20210715", "20210720"},
		{202602, 2, "20260211", "20260216", "20260228", "20260305"},
		{202402, 2, "20240211", "20240216", "20240229", "20240305"},
		{202601, 1, "20251227", "20260101", "20260115", "20260120"},
		{202607, 2, "20260711", "20260716", "20260731", "20260805"},
		{202608, 1, "20260727", "20260801", "20260815", "20260823"},
		{202612, 2, "20261211", "20261216", "20261231", "20270108"},
	} {
		f := fortnightOf(test.periodo, test.orden)
		got := [4]wsfev1.Date{f.opens(), f.from, f.to, f.deadline()}
		if want := [4]wsfev1.Date{test.opens, test.from, test.to, test.deadline}; got != want {
			t.Errorf("%d/%d: %v, want %v", test.periodo, test.orden, got, want)
		}
	}
}

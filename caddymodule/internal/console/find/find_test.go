package find_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/find"
	"github.com/fielato/fielato/wsfev1"
)

var now = time.Date(2026, 11, 23, 1, 30, 0, 0, time.UTC) // the 22nd in Argentina

func on(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, wsfev1.Argentina)
}

// TestTheBoxUnderstands what people have in front of them: on paper, in a mail, in a log.
func TestTheBoxUnderstands(t *testing.T) {
	classB := []int32{6, 7, 8, 9, 10, 35, 40, 61, 64, 206, 207, 208}
	trace, err := audit.ParseTraceID("4bf92f3577b34da6a3ce929d0e0e4736")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]find.Request{
		"20-11111111-2":                        {Query: audit.Query{Cuit: 20111111112}},
		"20111111112":                          {Query: audit.Query{Cuit: 20111111112}},
		"20111111113":                          {Query: audit.Query{Cuit: 20111111113}, Doubts: []string{"20111111113"}},
		"96470000000018":                       {Query: audit.Query{Code: "96470000000018"}},
		"B 0001-00000123":                      {Query: audit.Query{PtoVta: 1, Number: 123}, Types: classB},
		"b 1-123":                              {Query: audit.Query{PtoVta: 1, Number: 123}, Types: classB},
		"Factura B 0001-00000123":              {Query: audit.Query{PtoVta: 1, Number: 123}, Types: classB},
		"B0001-00000123":                       {Query: audit.Query{PtoVta: 1, Number: 123}, Types: classB},
		"M 2-7":                                {Query: audit.Query{PtoVta: 2, Number: 7}, Types: []int32{51, 52, 53, 54}},
		"6-1-123":                              {Query: audit.Query{CbteTipo: 6, PtoVta: 1, Number: 123}},
		"0001-00000123":                        {Query: audit.Query{PtoVta: 1, Number: 123}},
		"vm/17":                                {Record: &find.Address{Log: "vm", Index: 17}},
		"gateway-1/0":                          {Record: &find.Address{Log: "gateway-1", Index: 0}},
		"44b2f37a-a0ef-4448-b4aa-7ac5c56a9253": {Query: audit.Query{ID: "44b2f37a-a0ef-4448-b4aa-7ac5c56a9253"}},
		"4BF92F3577B34DA6A3CE929D0E0E4736":     {Query: audit.Query{TraceID: trace}},
		"10048":                                {Query: audit.Query{Finding: "10048"}},
		"600":                                  {Query: audit.Query{Finding: "600"}},
		"fecaesolicitar":                       {Query: audit.Query{Operation: "FECAESolicitar"}},
		"2026-11-22":                           {Query: audit.Query{Since: on(2026, 11, 22), Until: on(2026, 11, 23)}},
		"22/11/2026":                           {Query: audit.Query{Since: on(2026, 11, 22), Until: on(2026, 11, 23)}},
		"hoy":                                  {Query: audit.Query{Since: on(2026, 11, 22), Until: on(2026, 11, 23)}},
		"ayer":                                 {Query: audit.Query{Since: on(2026, 11, 21), Until: on(2026, 11, 22)}},
		"2026-11-01..2026-11-22":               {Query: audit.Query{Since: on(2026, 11, 1), Until: on(2026, 11, 23)}},
		"22/11/26":                             {Query: audit.Query{Since: on(2026, 11, 22), Until: on(2026, 11, 23)}},
		"CUIT: 20-11111111-2":                  {Query: audit.Query{Cuit: 20111111112}},
		"CAE N° 96470000000018":                {Query: audit.Query{Code: "96470000000018"}},
		"código 10048":                         {Query: audit.Query{Finding: "10048"}},
		"shape.required":                       {Query: audit.Query{Finding: "shape.required"}},
		"http.operation":                       {Query: audit.Query{Finding: "http.operation"}},
		"CAE":                                  {Unread: []string{"CAE"}},
		"CAE CUIT":                             {Unread: []string{"CAE", "CUIT"}},
		"del 01/11/2026 al 22/11/2026":         {Query: audit.Query{Since: on(2026, 11, 1), Until: on(2026, 11, 23)}},
		"22/11/2026 a 01/11/2026":              {Query: audit.Query{Since: on(2026, 11, 1), Until: on(2026, 11, 23)}},
		"20-11111111-2 B 0001-00000123 hoy":    {Query: audit.Query{Cuit: 20111111112, PtoVta: 1, Number: 123, Since: on(2026, 11, 22), Until: on(2026, 11, 23)}, Types: classB},
		" 20111111112\t10048 ":                 {Query: audit.Query{Cuit: 20111111112, Finding: "10048"}},
		"":                                     {},
		"Pérez":                                {Unread: []string{"Pérez"}},
		"20111111112 Pérez":                    {Query: audit.Query{Cuit: 20111111112}, Unread: []string{"Pérez"}},
		"0-0":                                  {Unread: []string{"0-0"}},
		"12":                                   {Unread: []string{"12"}},
		"22/11":                                {Unread: []string{"22/11"}},
		"<script>alert(1)</script>":            {Unread: []string{"<script>alert(1)</script>"}},
		"B":                                    {Unread: []string{"B"}},
		"96470000000018 96470000000019":        {Query: audit.Query{Code: "96470000000018"}, Unread: []string{"96470000000019"}},
		"2026-13-45":                           {Unread: []string{"2026-13-45"}},
		"vm/99999999999999999999999999999":     {Unread: []string{"vm/99999999999999999999999999999"}},
		"vm/18446744073709551616":              {Unread: []string{"vm/18446744073709551616"}},
	} {
		if got := find.Parse(text, now); !reflect.DeepEqual(got, want) {
			t.Errorf("%q\n got %+v\nwant %+v", text, got, want)
		}
	}
}

// FuzzParse: whatever is written, every word is understood or named.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"B 0001-00000123", "6-1-123", "20-11111111-2 hoy", "vm/17", "2026-11-01..2026-11-22", "\xff \x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := find.Parse(text, now)
		if words := strings.Fields(strings.ToValidUTF8(text, "")); r.IsEmpty() && len(r.Unread) != len(words) {
			t.Errorf("%q: %+v", text, r)
		}
		if r.Query.Number < 0 || r.Query.PtoVta < 0 || r.Query.Until.Before(r.Query.Since) {
			t.Errorf("%+v", r)
		}
	})
}

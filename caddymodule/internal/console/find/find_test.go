package find_test

import (
	"encoding/base64"
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
		"B 0001-00000123":                      {Query: audit.Query{PtoVta: 1, Number: 123, CbteTipos: classB}},
		"b 1-123":                              {Query: audit.Query{PtoVta: 1, Number: 123, CbteTipos: classB}},
		"Factura B 0001-00000123":              {Query: audit.Query{PtoVta: 1, Number: 123, CbteTipos: classB}},
		"B0001-00000123":                       {Query: audit.Query{PtoVta: 1, Number: 123, CbteTipos: classB}},
		"M 2-7":                                {Query: audit.Query{PtoVta: 2, Number: 7, CbteTipos: []int32{51, 52, 53, 54}}},
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
		"20-11111111-2 B 0001-00000123 hoy":    {Query: audit.Query{Cuit: 20111111112, PtoVta: 1, Number: 123, Since: on(2026, 11, 22), Until: on(2026, 11, 23), CbteTipos: classB}},
		" 20111111112\t10048 ":                 {Query: audit.Query{Cuit: 20111111112, Finding: "10048"}},
		"01/10/2026":                           {Query: audit.Query{Since: on(2026, 10, 1), Until: on(2026, 10, 2)}},
		"16-11-2026":                           {Query: audit.Query{Since: on(2026, 11, 16), Until: on(2026, 11, 17)}},
		"2026-10":                              {Query: audit.Query{Since: on(2026, 10, 1), Until: on(2026, 11, 1)}},
		"6-1-2002":                             {Query: audit.Query{CbteTipo: 6, PtoVta: 1, Number: 2002}},
		"2002-10":                              {Query: audit.Query{PtoVta: 2002, Number: 10}},
		"octubre":                              {Query: audit.Query{Since: on(2026, 10, 1), Until: on(2026, 11, 1)}},
		"october 2025":                         {Query: audit.Query{Since: on(2025, 10, 1), Until: on(2025, 11, 1)}},
		"rechazados ayer":                      {Query: audit.Query{Outcome: "rejected", Since: on(2026, 11, 21), Until: on(2026, 11, 22)}},
		"rejected yesterday":                   {Query: audit.Query{Outcome: "rejected", Since: on(2026, 11, 21), Until: on(2026, 11, 22)}},
		"aprobadas en octubre de 2026":         {Query: audit.Query{Outcome: "approved", Since: on(2026, 10, 1), Until: on(2026, 11, 1)}},
		"desconocido":                          {Query: audit.Query{Outcome: "unknown"}},
		"Factura B Nº 0001-00000123":           {Query: audit.Query{PtoVta: 1, Number: 123, CbteTipos: classB}},
		"Factura B N° 1-123 de 20-11111111-2":  {Query: audit.Query{Cuit: 20111111112, PtoVta: 1, Number: 123, CbteTipos: classB}},
		"Nota de crédito B 0001-00000123":      {Query: audit.Query{PtoVta: 1, Number: 123, CbteTipos: classB}},
		"Punto de Venta: 0001 Comp. Nro: 00000123": {Query: audit.Query{PtoVta: 1, Number: 123}},
		"pto. vta. 2 nro 120":                      {Query: audit.Query{PtoVta: 2, Number: 120}},
		"CAE: 76470 000 000 018":                   {Query: audit.Query{Code: "76470000000018"}},
		"CAE:76470000000018":                       {Query: audit.Query{Code: "76470000000018"}},
		"CAE N° 7647 0000000018":                   {Query: audit.Query{Code: "76470000000018"}},
		"7647 0000 0000 18":                        {Query: audit.Query{Code: "76470000000018"}},
		"CAE 7647 0000":                            {Query: audit.Query{Finding: "7647"}, Unread: []string{"0000"}},
		"123 20111111112":                          {Query: audit.Query{Finding: "123", Cuit: 20111111112}},
		"30-71234567-1 20-11111111-2":              {Query: audit.Query{Cuit: 30712345671, Receiver: 20111111112}},
		"receptor 20-11111111-2":                   {Query: audit.Query{Receiver: 20111111112}},
		"Receptor: CUIT 20111111112":               {Query: audit.Query{Receiver: 20111111112}},
		"cliente:20111111113":                      {Query: audit.Query{Receiver: 20111111113}, Doubts: []string{"20111111113"}},
		"12345678":                                 {Query: audit.Query{Receiver: 12345678}},
		"DNI 1234567":                              {Query: audit.Query{Receiver: 1234567}},
		"12.345.678":                               {Query: audit.Query{Receiver: 12345678}},
		"B 0001–00000123":                          {Query: audit.Query{PtoVta: 1, Number: 123, CbteTipos: classB}},
		"20‑11111111−2":                            {Query: audit.Query{Cuit: 20111111112}},
		"\ufeff96470000000018\u200b":               {Query: audit.Query{Code: "96470000000018"}},
		"CUIT 20-11111111-2, CAE 96470000000018.":  {Query: audit.Query{Cuit: 20111111112, Code: "96470000000018"}},
		"(0001-00000123);":                         {Query: audit.Query{PtoVta: 1, Number: 123}},
		"01/11/2026 — 22/11/2026":                  {Query: audit.Query{Since: on(2026, 11, 1), Until: on(2026, 11, 23)}},
		"\u200b":                                   {Unread: []string{"\u200b"}},
		"número 12345678":                          {Query: audit.Query{Number: 12345678}},
		"20261122":                                 {Query: audit.Query{Since: on(2026, 11, 22), Until: on(2026, 11, 23)}},
		"dni 20261122":                             {Query: audit.Query{Receiver: 20261122}},
		"comprobante 2026-10":                      {Query: audit.Query{PtoVta: 2026, Number: 10}},
		"error nro 10048":                          {Query: audit.Query{Finding: "10048"}},
		"a:2/0":                                    {Record: &find.Address{Log: "a:2", Index: 0}},
		qrOf(`{"ver":1,"cuit":20111111112,"ptoVta":1,"tipoCmp":6,"nroCmp":123}`): {Query: audit.Query{Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Number: 123}},
		qrOf(`{"ver":1,"cuit":20111111112}`):                                     {Unread: []string{qrOf(`{"ver":1,"cuit":20111111112}`)}},
		"https://example.com/fe/qr/?p=e30":                                       {Unread: []string{"https://example.com/fe/qr/?p=e30"}},
		"":                                                                       {},
		"Pérez":                                                                  {Unread: []string{"Pérez"}},
		"20111111112 Pérez":                                                      {Query: audit.Query{Cuit: 20111111112}, Unread: []string{"Pérez"}},
		"0-0":                                                                    {Unread: []string{"0-0"}},
		"12":                                                                     {Unread: []string{"12"}},
		"22/11":                                                                  {Unread: []string{"22/11"}},
		"<script>alert(1)</script>":                                              {Unread: []string{"<script>alert(1)</script>"}},
		"B":                                                                      {Unread: []string{"B"}},
		"96470000000018 96470000000019":                                          {Query: audit.Query{Code: "96470000000018"}, Unread: []string{"96470000000019"}},
		"2026-13-45":                                                             {Unread: []string{"2026-13-45"}},
		"vm/99999999999999999999999999999":                                       {Unread: []string{"vm/99999999999999999999999999999"}},
		"vm/18446744073709551616":                                                {Unread: []string{"vm/18446744073709551616"}},
	} {
		got := find.Parse(text, now)
		got.Readings = nil // TestWhatCanMeanSeveralThings has them
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q\n got %+v\nwant %+v", text, got, want)
		}
	}
}

func qrOf(json string) string {
	return "https://www.afip.gob.ar/fe/qr/?p=" + base64.StdEncoding.EncodeToString([]byte(json))
}

// TestWhatCanMeanSeveralThings: the first reading is the one that is taken, and the text of each says what it means.
func TestWhatCanMeanSeveralThings(t *testing.T) {
	for text, want := range map[string]map[string]audit.Query{
		"20-11111111-2":      {"issuer": {Cuit: 20111111112}, "receiver": {Receiver: 20111111112}},
		"hoy 20111111112":    {"issuer": {Cuit: 20111111112, Since: on(2026, 11, 22), Until: on(2026, 11, 23)}, "receiver": {Receiver: 20111111112, Since: on(2026, 11, 22), Until: on(2026, 11, 23)}},
		"12345678 10048":     {"receiver": {Receiver: 12345678, Finding: "10048"}, "number": {Number: 12345678, Finding: "10048"}},
		"20261122":           {"day": {Since: on(2026, 11, 22), Until: on(2026, 11, 23)}, "receiver": {Receiver: 20261122}, "number": {Number: 20261122}},
		"2026-10":            {"month": {Since: on(2026, 10, 1), Until: on(2026, 11, 1)}, "invoice": {PtoVta: 2026, Number: 10}},
		"16-11-2026":         {"day": {Since: on(2026, 11, 16), Until: on(2026, 11, 17)}, "invoice": {CbteTipo: 16, PtoVta: 11, Number: 2026}},
		"rechazados ayer":    {"rejected": {Outcome: "rejected", Since: on(2026, 11, 21), Until: on(2026, 11, 22)}, "refused": {Outcome: "refused", Since: on(2026, 11, 21), Until: on(2026, 11, 22)}},
		"emisor 20111111112": nil,
		"12.345.678":         nil,
		"0001-00000123":      nil,
		"01/10/2026":         nil,
		"rejected":           nil,
		"96470000000018":     nil,
	} {
		r := find.Parse(text, now)
		if len(r.Readings) != len(want) {
			t.Errorf("%q: %+v", text, r.Readings)
		}
		for i, reading := range r.Readings {
			got := find.Parse(reading.Text, now)
			if !reflect.DeepEqual(got.Query, want[reading.Meaning]) || len(got.Readings) > 0 || len(got.Unread) > 0 {
				t.Errorf("%q as %s, %q: %+v", text, reading.Meaning, reading.Text, got)
			}
			if i == 0 && !reflect.DeepEqual(got.Query, r.Query) {
				t.Errorf("%q is taken for %+v, and not for its first reading", text, r.Query)
			}
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
		for i, reading := range r.Readings {
			if one := find.Parse(reading.Text, now); one.IsEmpty() || i == 0 && !reflect.DeepEqual(one.Query, r.Query) {
				t.Errorf("%q is read as %q: %+v, want %+v", text, reading.Text, one, r)
			}
		}
	})
}

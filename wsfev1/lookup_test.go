package wsfev1_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// The identifiers of docs/sources.md#tables, written out from there, not from the tables.
var (
	// 30 and 31 are in no dump of the service's table.
	knownDocTipos = []int32{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24,
		80, 86, 87, 89, 90, 91, 92, 93, 94, 95, 96, 99, 30, 31,
	}
	knownTributos = []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 99}
	knownMonedas  = []string{
		"PES", "DOL", "RUB", "NZD", "002", "009", "010", "011", "012", "014", "015", "016", "018", "019", "021", "023",
		"024", "025", "026", "028", "029", "030", "031", "032", "033", "034", "035", "040", "041", "042", "043", "044",
		"045", "046", "047", "049", "051", "052", "053", "054", "055", "056", "057", "059", "060", "061", "062", "063", "064",
	}
	// 2901 and 2902 are in no dump of the service's table.
	knownOpcionales = []int32{
		2, 5, 7, 10, 11, 12, 13, 14, 15, 17, 22, 23, 27, 61, 62, 91, 92, 93,
		1011, 1012, 1801, 1802, 2101, 2102, 2901, 2902,
	}
	// knownPaises are the first and the last of each run of countries.
	knownPaises = []int32{
		101, 105, 107, 113, 115, 137, 139, 142, 144, 147, 149, 153, 155, 163, 197, 198,
		200, 242, 250, 265, 270, 271, 280, 288, 291, 291, 295, 298, 301, 310, 312, 313,
		315, 335, 337, 337, 341, 341, 344, 346, 348, 357, 397, 398, 401, 401, 404, 407,
		409, 431, 433, 433, 435, 436, 438, 451, 453, 454, 497, 498, 501, 501, 503, 521,
		597, 598, 652, 656, 659, 659, 662, 673, 676, 687, 690, 690, 693, 700, 997, 998,
	}
	// conditions are the receivers' IVA conditions by class (docs/sources.md#iva-condition).
	conditions = map[wsfev1.Class][]int32{
		"A":    {1, 6, 13, 16},
		"ALEY": {1, 6, 13, 16},
		"B":    {4, 5, 7, 8, 9, 10, 15},
		"C":    {1, 4, 5, 6, 7, 8, 9, 10, 13, 15, 16},
		"49":   {5},
	}
)

// everyID calls check with numbers on, between and far beyond all identifiers.
func everyID(check func(id int32)) {
	for id := int32(-70); id <= 10_100; id++ {
		check(id)
	}
	for _, id := range []int32{-1 << 31, -1<<31 + 80, 1<<31 - 1, 1 << 16, 1<<16 + 80} {
		check(id)
	}
}

func TestIdentifiersAreKnownIfTheServiceKnowsThem(t *testing.T) {
	for name, c := range map[string]struct {
		look func(int32) bool
		want []int32
	}{
		"DocTipo":                {wsfev1.IsDocTipo, knownDocTipos},
		"CondicionIVAReceptorId": {wsfev1.IsCondicionIVAReceptor, conditions["C"]},
	} {
		everyID(func(id int32) {
			if got, want := c.look(id), slices.Contains(c.want, id); got != want {
				t.Errorf("%s %d is known: %v, want %v", name, id, got, want)
			}
		})
	}
	for id := -1 << 15; id < 1<<15; id++ {
		if got, want := wsfev1.IsTributo(int16(id)), slices.Contains(knownTributos, int32(id)); got != want {
			t.Errorf("Tributo %d is known: %v, want %v", id, got, want)
		}
	}
}

func TestCountriesAreThoseOfTheTable(t *testing.T) {
	count := 0
	everyID(func(id int32) {
		want := false
		for run := range slices.Chunk(knownPaises, 2) {
			want = want || run[0] <= id && id <= run[1]
		}
		got := wsfev1.IsPais(id)
		if got {
			count++
		}
		if got != want {
			t.Errorf("country %d is known: %v, want %v", id, got, want)
		}
	})
	if count != 296 {
		t.Errorf("%d countries, want 296", count)
	}
}

func TestACurrencyIsThreeCharactersExactly(t *testing.T) {
	known := map[string]bool{}
	for _, id := range knownMonedas {
		known[id] = true
	}
	if len(known) != 49 {
		t.Fatalf("%d currencies in the expectation", len(known))
	}
	for n := range 1000 {
		for _, form := range []string{"%d", "%02d", "%03d", "%04d", " %03d"} {
			if id := fmt.Sprintf(form, n); wsfev1.IsMoneda(id) != known[id] {
				t.Errorf("%q is known: %v", id, !known[id])
			}
		}
	}
	for id, want := range map[string]bool{
		"PES": true, "DOL": true, "RUB": true, "NZD": true,
		"": false, "pes": false, "PES ": false, "PE": false, "USD": false, "ARS": false, "EUR": false, "PESO": false,
	} {
		if got := wsfev1.IsMoneda(id); got != want {
			t.Errorf("%q is known: %v, want %v", id, got, want)
		}
	}
}

func TestAnOpcionalIsKnownInOneSpelling(t *testing.T) {
	for n := range int32(100_000) {
		id := fmt.Sprint(n)
		if got, want := wsfev1.IsOpcional(id), slices.Contains(knownOpcionales, n); got != want {
			t.Errorf("%q is known: %v, want %v", id, got, want)
		}
		if wsfev1.IsOpcional("0" + id) {
			t.Errorf("%q is known", "0"+id)
		}
	}
	for _, id := range []string{"", " 2", "2 ", "+2", "-2", "2a", "2.", "２", "0", "00000002", "4294967298"} {
		if wsfev1.IsOpcional(id) {
			t.Errorf("%q is known", id)
		}
	}
}

func TestTheRatesOfIVA(t *testing.T) {
	want := map[int32]string{3: "0", 4: "10.5", 5: "21", 6: "27", 8: "5", 9: "2.5"}
	everyID(func(id int32) {
		rate, known := wsfev1.IvaRate(id)
		text, wanted := want[id]
		if known != wanted || known && rate.String() != text || rate.Sent() != known {
			t.Errorf("rate of %d: %s (%v), want %q", id, rate, known, text)
		}
	})
}

func TestAClassAdmitsItsConditions(t *testing.T) {
	for _, class := range []wsfev1.Class{"A", "ALEY", "B", "C", "49", "", "M", "a", "AL", "4"} {
		everyID(func(id int32) {
			got, want := wsfev1.AdmitsCondicionIVAReceptor(class, id), slices.Contains(conditions[class], id)
			if got != want {
				t.Errorf("class %q admits %d: %v, want %v", class, id, got, want)
			}
		})
	}
}

func TestWhatNoTableListsIsKnownAndNotAmongItsRows(t *testing.T) {
	for _, row := range wsfev1.Tables().Doc {
		if row.Id == 30 || row.Id == 31 {
			t.Errorf("DocTipo %d is a row", row.Id)
		}
	}
	for _, row := range wsfev1.Tables().Opcional {
		if row.Id == "2901" || row.Id == "2902" {
			t.Errorf("Opcional %s is a row", row.Id)
		}
	}
}

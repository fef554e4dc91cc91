package rules_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// manyTimes is how much larger the larger of two bodies is, atMost how much
	// longer it may take: four times as long as a linear one, on a machine that does
	// other things besides. A quadratic rule takes 256 times as long.
	manyTimes, atMost = 16, 64
	// longest is the time on a processor that the larger body may take, under the race
	// detector too, which makes it ten times as long.
	longest = 5 * time.Second
	// allocated is how many bytes may be allocated for each byte of a body, and
	// beside them whatever its size: a thousand findings are kept with their texts.
	// The most is allocated where each of many short items is wrong.
	allocated, allocatedAside = 40, 4 << 20
)

// hostile is a body that grows with n.
type hostile struct {
	name string
	n    int
	body func(t testing.TB, n int) []byte
}

// inspect is the work to measure: it reads and judges a body and writes the findings.
func inspect(rules *rules.Rules, op *wsfev1.Operation, body []byte) int {
	req, found := validate.Decode(op, body, validate.ARCA)
	found = append(found, rules.Judge(req, validatetest.Noon)...)
	written := 0
	for _, f := range found {
		written += len(f.Message())
	}
	return written
}

// measure returns how long an inspection takes, and the bytes that it allocates.
func measure(rules *rules.Rules, op *wsfev1.Operation, body []byte) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := testrun.ProcessorTime()
	inspect(rules, op, body)
	took := testrun.ProcessorTime() - start
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

// TestTimeAndMemoryGrowNoFasterThanTheBody: whatever a client repeats, each repeat
// costs the same.
func TestTimeAndMemoryGrowNoFasterThanTheBody(t *testing.T) {
	rules, err := rules.NewRules(rules.Settings{MaxInvoices: 9998})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range slices.Concat(hostileLots, hostileLists, hostileFigures(), hostileTexts(), hostileShapes()) {
		t.Run(h.name, func(t *testing.T) {
			op := validatetest.Operation(t, "FECAESolicitar")
			small, large := h.body(t, h.n/manyTimes), h.body(t, h.n)
			quick, _ := measure(rules, op, small)
			slow, bytes := time.Hour, uint64(0)
			for range 12 { // the best of several: the machine is shared
				took, _ := measure(rules, op, small)
				quick = min(quick, took)
				took, bytes = measure(rules, op, large)
				slow = min(slow, took)
				if slow <= atMost*quick {
					break
				}
			}
			t.Logf("%d bytes: %v, %.1f times that of %d bytes; %.1f bytes allocated for each",
				len(large), slow, float64(slow)/float64(quick), len(small), float64(bytes)/float64(len(large)))
			if slow > atMost*quick && slow > 25*time.Millisecond {
				t.Errorf("%d bytes take %v, %d bytes %v: more than %d times as long", len(small), quick, len(large), slow, atMost)
			}
			if slow > longest {
				t.Errorf("%d bytes take %v", len(large), slow)
			}
			if limit := uint64(allocated*len(large) + allocatedAside); bytes > limit {
				t.Errorf("%d bytes allocate %d, more than %d", len(large), bytes, limit)
			}
		})
	}
}

// vulnerable returns an invoice of a type that is valid until the caller adds to it.
func vulnerable(cbteTipo int32) *issuing {
	condition := map[wsfev1.Class]int32{"A": 1, "B": 5, "C": 5, "ALEY": 1, "49": 5}[wsfev1.ClassOf(cbteTipo)]
	d := wsfev1.FECAEDetRequest{
		Concepto: 1, DocTipo: 80, DocNro: 30500010912, CbteDesde: 1, CbteHasta: 1, CbteFch: "20261120", MonId: "PES", MonCotiz: amount("1"),
		ImpTotal: amount("121.00"), ImpTotConc: amount("0"), ImpNeto: amount("100.00"), ImpOpEx: amount("0"), ImpTrib: amount("0"),
		ImpIVA: amount("21.00"), CondicionIVAReceptorId: &condition,
		Iva: &wsfev1.Iva{AlicIva: []wsfev1.AlicIva{rate(5, "100.00", "21.00")}},
	}
	return &issuing{
		now: validatetest.Noon, issuer: 20111111112, header: wsfev1.FeCabReq{CantReg: 1, PtoVta: 1, CbteTipo: cbteTipo},
		invoices: []detail{{FECAEDetRequest: d}},
	}
}

// grown makes a body of an invoice of a type to which something is added n times.
func grown(cbteTipo int32, grow func(d *detail, n int)) func(testing.TB, int) []byte {
	return func(t testing.TB, n int) []byte {
		r := vulnerable(cbteTipo)
		grow(&r.invoices[0], n)
		return r.body(t)
	}
}

// lots makes a lot of n invoices of the type.
func lots(cbteTipo int32, change func(d *detail)) func(testing.TB, int) []byte {
	return func(t testing.TB, n int) []byte {
		r := vulnerable(cbteTipo)
		first := r.invoices[0]
		change(&first)
		r.header.CantReg, r.invoices = int32(n), nil
		for i := range n {
			d := first
			d.CbteDesde, d.CbteHasta = int64(i+1), int64(i+1)
			r.invoices = append(r.invoices, d)
		}
		return r.body(t)
	}
}

var hostileLots = []hostile{
	{"invoices", 2496, lots(6, func(*detail) {})},
	{"invoices that are wrong", 2496, lots(6, func(d *detail) { d.ImpTotal, d.MonId, d.DocTipo = amount("5.001"), "XXX", 15 })},
	{"notes that are wrong", 2496, lots(203, func(d *detail) { d.CbtesAsoc, d.Opcionales = &wsfev1.CbtesAsoc{}, &wsfev1.Opcionales{} })},
	{"invoices of an unknown type", 2496, lots(999, func(*detail) {})},
	{"nesting", 20_000, func(_ testing.TB, n int) []byte {
		return fmt.Appendf(nil, `{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112},"FeCAEReq":%s1%s}`, strings.Repeat(`{"a":[`, n), strings.Repeat(`]}`, n))
	}},
}

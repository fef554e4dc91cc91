package exchange_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// refused adds an exchange that the gateway has refused.
func (d *desk) refused(id string, number int, at time.Time) string {
	d.t.Helper()
	return d.add(about(number, 1, audit.Record{
		Kind: audit.KindExchange, ID: id, Decision: "refuse", Outcome: "refused", Certainty: audit.NotSent, Status: 200, Request: request(number, 1), Time: at,
	}))
}

// TestARefusedNumberLeadsToItsApproval, and that leads back to the attempts before it.
func TestARefusedNumberLeadsToItsApproval(t *testing.T) {
	d := newDesk(t, false)
	first := d.refused("r1", 5, begun.Add(-time.Hour))
	second := d.refused("r2", 5, begun.Add(-time.Minute))
	d.refused("other", 6, begun.Add(-time.Minute))
	at := d.approved("a", 5, 1)
	late := d.refused("r3", 5, begun.Add(time.Hour))
	for _, address := range []string{first, second} {
		d.inOrder(d.page(address), "0001-00000005 se aprobó después, el 23/11/2026 10:00:00", "/consola/exchange/"+at, "CAE "+cae(5), "Qué pasó")
	}
	d.inOrder(d.page(late), "0001-00000005 ya se había aprobado antes", "/consola/exchange/"+at)
	for _, address := range []string{at, "gateway-1/3"} {
		page := d.page(address)
		d.inOrder(page, "Hubo 2 intentos anteriores con el número 0001-00000005", "/consola/exchange/"+second, "09:59:00 · rechazado por una regla", "Qué pasó",
			"Intento anterior sin aprobar", "/consola/exchange/"+second, "Intento anterior sin aprobar", "/consola/exchange/"+first)
		if strings.Contains(page, "/consola/exchange/"+late) {
			t.Errorf("%s shows a later attempt as an earlier one", address)
		}
	}
}

// TestAttemptsAreCounted in the singular, and up to a bound.
func TestAttemptsAreCounted(t *testing.T) {
	d := newDesk(t, false)
	for i := range 9 {
		d.refused("r"+strconv.Itoa(i), 5, begun.Add(-time.Hour))
	}
	d.refused("s", 6, begun.Add(-time.Hour))
	many, one, none := d.page(d.approved("a", 5, 1)), d.page(d.approved("b", 6, 1)), d.page(d.approved("c", 7, 1))
	d.inOrder(many, "Hubo más de 5 intentos anteriores")
	d.inOrder(one, "Hubo un intento anterior con el número 0001-00000006, que no se aprobó:")
	if n := strings.Count(many, "Intento anterior sin aprobar"); n != 5 || strings.Contains(none, "intento") {
		t.Errorf("%d attempts are linked", n)
	}
}

// TestEveryAttemptLeadsToTheInvoice, however many there are, and whether its answer came or was recovered.
func TestEveryAttemptLeadsToTheInvoice(t *testing.T) {
	for _, outcome := range []audit.Outcome{"approved", "recovered", "observed"} {
		d := newDesk(t, false)
		d.refused("before", 5, begun.Add(-time.Minute))
		at := d.add(about(5, 1, audit.Record{
			Kind: audit.KindOutcome, ID: "a", Intent: d.intent("a", 5, 1), Decision: "forward", Outcome: outcome, Certainty: audit.Answered, Status: 200, Answer: answer(5, 1),
		}))
		for i := range 60 {
			d.refused("r"+strconv.Itoa(i), 5, begun.Add(time.Hour+time.Duration(i)*time.Minute))
		}
		for _, attempt := range []string{"gateway-1/0", "gateway-1/3", "gateway-1/30", "gateway-1/62"} {
			d.inOrder(d.page(attempt), "/consola/exchange/"+at, "CAE "+cae(5), "Qué pasó")
		}
	}
}

// TestManyAttemptsAtANumberThatNobodyHas lead to none of each other.
func TestManyAttemptsAtANumberThatNobodyHas(t *testing.T) {
	d := newDesk(t, false)
	for i := range 40 {
		d.refused("r"+strconv.Itoa(i), 5, begun)
	}
	if page := d.page("gateway-1/7"); strings.Contains(page, "se aprobó") || strings.Contains(page, "se había aprobado") {
		t.Error("the page tells of an approval")
	}
}

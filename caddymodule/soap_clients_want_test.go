package caddymodule_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// soapDay is what a client saw for one issuer, by step.
type soapDay map[string]soapStep

// costs reports whether an invoice has this total.
func (s soapStep) costs(total string) bool { return s.Total.Trim().String() == total }

// dayOf returns the day of an issuer, with the names of its steps in their order.
func dayOf(issuer soapIssuer, steps []soapStep) (names []string, day soapDay) {
	day = soapDay{}
	for _, s := range steps {
		if s.Cuit == issuer.Cuit {
			names = append(names, s.Step)
			day[s.Step] = s
		}
	}
	return names, day
}

// wantDay compares the answers that a client saw with the expected ones.
func (c *soapClient) wantDay(t *testing.T, steps []soapStep, issuers []soapIssuer) {
	t.Helper()
	for _, issuer := range issuers {
		names, day := dayOf(issuer, steps)
		if want := c.steps(issuer); !slices.Equal(names, want) {
			t.Fatalf("the steps are %q, want %q", names, want)
		}
		c.wantIssued(t, day, issuer)
		c.wantTold(t, day, issuer)
		day.wantMore(t)
		if t.Failed() {
			t.Fatalf("of issuer %d", issuer.Cuit)
		}
	}
}

// steps are the names of what a client does for an issuer.
func (c *soapClient) steps(issuer soapIssuer) []string {
	var names []string
	if !c.builtIn { // the others log in by themselves
		names = append(names, "login")
	}
	names = append(names, "dummy", "last", "one", "lot", "found", "missing", "types", "conditions", "wrong")
	names = append(append(names, c.more...), "advance", "advance again")
	if c.strict {
		names = append(names, "tables", "informed", "no movement", "no movement found")
	}
	if issuer.Lost > 0 {
		names = append(names, "lost", "asked", "sent again")
	}
	return append(names, "end")
}

// codes returns the authorization codes that the client was given, in the order of the numbers.
func (d soapDay) codes() (all []string) {
	for _, name := range []string{"one", "lot", "blank", "digits", "sent again"} {
		all = append(all, d[name].CAEs...)
	}
	return all
}

// wantIssued wants each invoice to have a code of its own, higher than those before.
func (c *soapClient) wantIssued(t *testing.T, day soapDay, issuer soapIssuer) {
	t.Helper()
	invoices := 4 + c.issues
	if issuer.Lost > 0 {
		invoices++
	}
	codes := day.codes()
	if len(codes) != invoices || day["last"].Number != 0 || day["end"].Number != invoices {
		t.Errorf("%d codes and numbers from %d to %d, want %d", len(codes), day["last"].Number, day["end"].Number, invoices)
	}
	for i, code := range codes {
		if _, err := strconv.ParseUint(code, 10, 64); err != nil || len(code) != 14 || i > 0 && code <= codes[i-1] {
			t.Errorf("%q is no code, or it does not follow those before: %q", code, codes)
		}
	}
	lot := "A"
	if c.alone {
		lot = "AAA"
	}
	if one := day["one"]; one.Result != "A" || day["lot"].Result != lot || len(day["lot"].CAEs) != 3 || len(one.Codes)+len(day["lot"].Codes) > 0 {
		t.Errorf("%+v, %+v", one, day["lot"])
	}
	if found := day["found"]; !slices.Equal(found.CAEs, day["one"].CAEs) || !found.costs("121") {
		t.Errorf("%+v of %+v", found, day["one"])
	}
	if issuer.Lost == 0 {
		return
	}
	if lost := day["lost"]; !strings.Contains(lost.Fault, "upstream.unknown") || len(lost.CAEs) > 0 {
		t.Errorf("an invoice of which nobody knows what became: %+v", lost)
	}
	if asked, again := day["asked"], day["sent again"]; again.Result != "A" || !slices.Equal(asked.CAEs, again.CAEs) || !asked.costs("121") {
		t.Errorf("%+v, %+v", asked, again)
	}
}

// wantTold wants the other answers of the service.
func (c *soapClient) wantTold(t *testing.T, day soapDay, issuer soapIssuer) {
	t.Helper()
	if !c.builtIn && day["login"].Number < 100 {
		t.Errorf("a Token of %d letters", day["login"].Number)
	}
	if !slices.Equal(day["dummy"].Servers, []string{"OK", "OK", "OK"}) || day["types"].Number < 30 || day["conditions"].Number < 5 {
		t.Errorf("%+v, %+v, %+v", day["dummy"], day["types"], day["conditions"])
	}
	if missing := day["missing"]; !slices.Equal(missing.Codes, []int{602}) && (!c.alone || missing.Result != "null") {
		t.Errorf("a number that does not exist: %+v", missing)
	}
	if wrong := day["wrong"]; wrong.Result != "R" || !slices.Equal(wrong.Codes, []int{10048}) || !slices.Equal(wrong.CAEs, []string{""}) {
		t.Errorf("a total that is none: %+v", wrong)
	}
	if first, again := day["advance"], day["advance again"]; len(first.CAEA) != 14 || again.CAEA != first.CAEA {
		t.Errorf("%+v, %+v", first, again)
	}
	for _, s := range day {
		if s.Fault != "" && s.Step != "lost" && s.Step != "merged" && s.Step != "missing" {
			t.Errorf("%+v", s)
		}
	}
}

// wantMore holds the steps that some clients alone have.
func (d soapDay) wantMore(t *testing.T) {
	t.Helper()
	for _, name := range []string{"blank", "digits", "informed", "no movement"} {
		if s, ok := d[name]; ok && s.Result != "A" {
			t.Errorf("%+v", s)
		}
	}
	if s, ok := d["digits found"]; ok && (!s.costs("931569.1") || !slices.Equal(s.CAEs, d["digits"].CAEs)) {
		t.Errorf("%+v", s)
	}
	if s, ok := d["merged"]; ok && !strings.Contains(s.Fault, "shape.duplicate") {
		t.Errorf("three invoices in one element: %+v", s)
	}
	if s, ok := d["tables"]; ok && s.Number != 11 {
		t.Errorf("%+v", s)
	}
	if s, ok := d["no movement found"]; ok && s.CAEA != d["advance"].CAEA {
		t.Errorf("%+v", s)
	}
}

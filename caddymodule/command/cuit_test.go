package command_test

import (
	"strings"
	"testing"
)

// TestACUITIsTakenWithDashes, wherever one is given.
func TestACUITIsTakenWithDashes(t *testing.T) {
	store := " --store sqlite:" + trailOf(t, exchange())
	for _, cuit := range []string{"20111111112", "20-11111111-2"} {
		if got := words("audit search --cuit " + cuit + store); got.err != nil || !strings.Contains(got.out, " 20111111112 ") {
			t.Errorf("search %s: %v\n%s", cuit, got.err, got.out)
		}
		if got := words("audit stats --cuit " + cuit + store); got.err != nil || !strings.Contains(got.out, "approved 1") {
			t.Errorf("stats %s: %v\n%s", cuit, got.err, got.out)
		}
		if got := words("ticket --format text --cuit " + cuit); got.err != nil || !strings.Contains(got.out, "[20111111112]") {
			t.Errorf("ticket %s: %v\n%s", cuit, got.err, got.out)
		}
		if got := words("audit evidence --pto-vta 1 --cbte-tipo 6 --nro 9 --output " + t.TempDir() + "/x --cuit " + cuit + store); got.status() != 2 {
			t.Errorf("evidence %s: status %d: %v", cuit, got.status(), got.err)
		}
		if got := words("audit hold remove --cuit " + cuit + store); got.status() != 2 || !strings.Contains(got.err.Error(), "20111111112") {
			t.Errorf("hold %s: %v", cuit, got.err)
		}
	}
}

// TestWhatIsNoCUITIsRefused: spaces, dashes in other places, and anything that is no number.
func TestWhatIsNoCUITIsRefused(t *testing.T) {
	store := "--store=sqlite:" + trailOf(t, exchange())
	for _, cuit := range []string{
		"20 11111111 2", " 20111111112", "20111111112 ", "2-011111111-2", "20-11111111", "-20111111112", "201111111120", "20.11111111.2",
		"x", "２０111111112", "+20111111112", "20--11111111-2",
	} {
		for _, arguments := range [][]string{
			{"audit", "search", store},
			{"audit", "stats", store},
			{"audit", "tail", store},
			{"audit", "evidence", store},
			{"audit", "hold", "add", store},
			{"audit", "hold", "remove", store},
			{"ticket"},
		} {
			got := run(append(arguments, "--cuit="+cuit)...)
			if got.status() != 2 || !strings.Contains(got.err.Error(), "without spaces") || !strings.Contains(got.err.Error(), "20-11111111-2") {
				t.Errorf("%s --cuit %q: status %d, %v", strings.Join(arguments, " "), cuit, got.status(), got.err)
			}
		}
	}
}

// TestAWrongCheckDigitIsRemarkedOn where records are searched, which may have it, and refused
// where something is changed: there the right one may be somebody else's.
func TestAWrongCheckDigitIsRemarkedOn(t *testing.T) {
	store := " --store sqlite:" + trailOf(t, exchange())
	const remark = "--cuit 20111111113: the last digit is wrong; with the ten before it the check digit is 2, which makes 20111111112\n"
	for _, line := range []string{"audit search", "audit stats"} {
		if got := words(line + " --cuit 20-11111111-3" + store); got.err != nil || got.errs != remark+"no exchange matches\n" {
			t.Errorf("%s: %v, %q", line, got.err, got.errs)
		}
	}
	if got := words("audit search --cuit 10000000003" + store); !strings.Contains(got.errs, "the last digit is wrong; ") {
		t.Errorf("ten digits: %q", got.errs)
	}
	if got := words("audit search --cuit 20111111112" + store); got.errs != "" {
		t.Errorf("a right one: %q", got.errs)
	}
	for _, line := range []string{"audit hold add", "audit hold remove"} {
		if got := words(line + " --cuit 20111111113" + store); got.status() != 2 || strings.Contains(got.err.Error()+got.errs, "20111111112") {
			t.Errorf("%s: status %d, %v", line, got.status(), got.err)
		}
	}
}

package caddymodule_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEvidenceIsInTheOrderOfTime: what the gateway asked about a request is recorded before
// the request's outcome, and comes after it on the page.
func TestEvidenceIsInTheOrderOfTime(t *testing.T) {
	s := start(t, withFaults(t, faultOnce("drop {\n commit no\n")), exactly...)
	s.post("FECAESolicitar", invoice(1))
	s.post("FECAESolicitar", invoice(1))
	output := filepath.Join(t.TempDir(), "evidence")
	if err := s.evidenceOf(output); err != nil {
		t.Fatal(err)
	}
	files := filesOf(t, output)
	rows := regexp.MustCompile(`(?m)^<tr><td><a href="#x\d+">\S+/(\d+)</a></td><td>([^<]+)</td><td>(\w+)</td>`).FindAllStringSubmatch(files["index.html"], -1)
	if len(rows) < 3 || rows[0][3] != "FECAESolicitar" || rows[1][3] != "FECompConsultar" || rows[len(rows)-1][3] != "FECAESolicitar" {
		t.Fatalf("%q", rows)
	}
	first, failed := strconv.Atoi(rows[0][1])
	second, err := strconv.Atoi(rows[1][1])
	if err := errors.Join(failed, err); err != nil || first < second {
		t.Errorf("%v: the outcome %d was recorded before the question %d, so that nothing is shown", err, first, second)
	}
	if !slices.IsSortedFunc(rows, func(a, b []string) int { return strings.Compare(a[2], b[2]) }) {
		t.Errorf("not in the order of time: %q", rows)
	}
	if name := fmt.Sprintf("exchanges/001-record-%d/request.json", first); files[name] == "" {
		t.Errorf("no %s", name)
	}
}

package proving_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestEvidenceIsInTheOrderOfTime: the answers to the gateway's questions about a request became known after
// the request was recorded and before its outcome. The files are in the order in which the exchanges began.
func TestEvidenceIsInTheOrderOfTime(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithFaults(t, caddytest.FaultOnce("drop {\n commit no\n")), caddytest.Exactly...)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	output := filepath.Join(t.TempDir(), "evidence")
	if err := evidenceFor(s, output); err != nil {
		t.Fatal(err)
	}
	files := filesOf(t, output)
	_, events, _ := strings.Cut(files["index.html"], "Qué pasó, en orden")
	rows := regexp.MustCompile(`<span class="at">([^<]+)</span>([^<]+)<a href="#x\d+" class="at">\S+/(\d+)</a>`).FindAllStringSubmatch(events, -1)
	told := func(text string) int {
		return slices.IndexFunc(rows, func(row []string) bool { return strings.Contains(row[2], text) })
	}
	intent, question, outcome, issued := told("registró el pedido"), told("La pasarela consultó al servicio"), told("no fue emitido"), told("El servicio aprobó")
	if intent != 0 || question < intent || outcome < question || issued < outcome {
		t.Fatalf("intent %d, question %d, outcome %d, approval %d in %q", intent, question, outcome, issued, rows)
	}
	if !slices.IsSortedFunc(rows, func(a, b []string) int { return strings.Compare(a[1], b[1]) }) {
		t.Errorf("not in the order of time: %q", rows)
	}
	if name := fmt.Sprintf("exchanges/001-record-%s/request.json", rows[outcome][3]); files[name] == "" {
		t.Errorf("no %s", name)
	}
}

package backend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// halves are the codes that the edge and a backend decide half each, by the operation in
// which a register is needed. A scenario with a register provokes them with requests in
// which the edge finds nothing.
var halves = map[string][]int32{
	"FECAESolicitar":       {10015, 10017, 10038, 10119, 10044, 10045, 10047, 10066, 10192},
	"FECAEARegInformativo": {708, 1420, 1440, 1485},
}

// TestScenariosProvokeEveryCodeThatABackendDecides compares the codes of the issuing
// operations with the scenarios. testdata/unprovoked.golden lists those that cannot be
// provoked: faults of the service (500, 501), a busy issuer (502), a CUIT that the service
// answers with 600 (601), an answer to queries only (602), and the rule that is off because
// its unit is unknown (10240, 821).
func TestScenariosProvokeEveryCodeThatABackendDecides(t *testing.T) {
	provoked := provokedCodes(t)
	var missing strings.Builder
	for _, operation := range []string{"FECAESolicitar", "FECAEARegInformativo"} {
		for _, code := range decidedCodes(operation) {
			if !provoked[fmt.Sprint(operation, " ", code)] {
				fmt.Fprintln(&missing, operation, code)
			}
		}
	}
	const golden = "testdata/unprovoked.golden"
	if *rewrite {
		if err := os.WriteFile(golden, []byte(missing.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, string(want), missing.String())
}

// decidedCodes are the codes of an operation that depend on the ledger or the register.
func decidedCodes(operation string) []int32 {
	codes := slices.Clone(halves[operation])
	for _, rule := range rules.Catalogue() {
		if rule.DecidedAt == rules.State && slices.Contains(rule.Operations, operation) {
			codes = append(codes, rule.Code)
		}
	}
	slices.Sort(codes)
	return codes
}

// provokedCodes reads "operation code" of every answer in the scenarios.
func provokedCodes(t *testing.T) map[string]bool {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	provoked := map[string]bool{}
	for _, file := range files {
		told, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		operation, invented := "", false
		for line := range strings.Lines(string(told)) {
			mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch mark {
			case "!":
				invented = true
			case ">":
				operation, _, _ = strings.Cut(rest, " ")
			case "<":
				if !invented {
					addCodes(t, provoked, operation, rest)
				}
				invented = false
			}
		}
	}
	return provoked
}

func addCodes(t *testing.T, provoked map[string]bool, operation, text string) {
	var answer any
	switch operation {
	case "FECAESolicitar":
		answer = new(wsfev1.FECAESolicitarAnswer)
	case "FECAEARegInformativo":
		answer = new(wsfev1.FECAEARegInformativoAnswer)
	default:
		return
	}
	if err := json.Unmarshal([]byte(text), answer); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, code := range wsfev1.VerdictOf(answer).Codes {
		provoked[fmt.Sprint(operation, " ", code)] = true
	}
}

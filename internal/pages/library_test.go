package pages_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

var errRefused = errors.New("refused")

// judge is the example of library.md.
func judge(body []byte, now time.Time) error {
	op := wsfev1.OperationByName("FECAESolicitar")
	request, findings := validate.Decode(op, body, validate.ARCA)
	if len(findings) == 0 {
		catalogue, err := rules.NewRules(rules.Settings{}) // the service's own, as of the day
		if err != nil {
			return err
		}
		findings = catalogue.Judge(request, now)
	}
	for _, f := range findings {
		fmt.Println(f.Message())
	}
	if validate.Refuses(findings) {
		return errRefused
	}
	return nil
}

// TestTheExampleOfTheLibraryJudges the README's invoice, right and two cents off.
func TestTheExampleOfTheLibraryJudges(t *testing.T) {
	page, source := read(t, root+"/docs/library.md"), read(t, "library_test.go")
	_, rest, _ := strings.Cut(page, "```go\n")
	example, _, found := strings.Cut(rest, "```")
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(example, "\n"), "\n", "\n\t") + "\n"
	if !found || !strings.Contains(source, indented) {
		t.Errorf("library.md does not have the example that is run here:\n%s", indented)
	}
	_, rest, _ = strings.Cut(read(t, root+"/README.md"), "INVOICE='")
	invoice, _, _ := strings.Cut(rest, "'\n")
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, wsfev1.Argentina)
	if err := judge([]byte(invoice), now); err != nil {
		t.Error(err)
	}
	if err := judge([]byte(strings.Replace(invoice, "121.00", "121.02", 1)), now); !errors.Is(err, errRefused) {
		t.Errorf("two cents off: %v", err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

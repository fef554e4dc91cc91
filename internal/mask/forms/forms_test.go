package forms_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/mask/forms"
	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// TestTheTextItselfIsAmongItsForms, as it is too.
func TestTheTextItselfIsAmongItsForms(t *testing.T) {
	var all []string
	forms.In([]byte("a%62c"), func(form []byte) bool {
		all = append(all, string(form))
		return false
	})
	if got := strings.Join(all, " "); got != "a%62c abc" {
		t.Errorf("got %q", got)
	}
}

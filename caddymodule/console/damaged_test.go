package console

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/audittest"
)

// TestEveryPageOutlivesDamage: where one record cannot be read, each page that lists, counts or tells records shows what can
// be read, and says that something is missing. Documents that are handed out need all that they are made of.
func TestEveryPageOutlivesDamage(t *testing.T) {
	l, own := mixed(t)
	l.store = &audittest.Damaged{Store: l.store, Log: scopeLog, Summary: map[uint64]bool{own["b"][len(own["b"])/2]: true}, Blind: true}
	s := l.site()
	strict := []string{"/constancia.html", "/evidence", "/request"}
	for _, route := range s.Routes() {
		method, pattern, _ := strings.Cut(route, " ")
		if method != http.MethodGet || !slices.Contains(routesOfRecords, pattern) || strings.HasSuffix(pattern, "/live") {
			continue
		}
		for _, path := range addressesWith(t, pattern, map[string][]string{
			"{log}": {scopeLog}, "{index}": {fmt.Sprint(own["a"][1])}, "{part}": {"request"}, "{file}": {"proof"}, "{$}": {""},
			"{cuit}": {issuerA.String(), issuerB.String()}, "{tipo}": {"6"}, "{ptovta}": {"1"}, "{nro}": {"1"},
		}) {
			got := ask(t, s, "all", method, path)
			isStrict := slices.ContainsFunc(strict, func(end string) bool { return strings.HasSuffix(path, end) })
			if got.Code >= http.StatusInternalServerError && !isStrict {
				t.Errorf("%s: %d", path, got.Code)
			}
			isPage := got.Code == http.StatusOK && strings.Contains(got.Body, "<main") && !strings.Contains(pattern, "/proof/")
			if isPage && !strings.Contains(got.Body, "dañado") {
				t.Errorf("%s does not say that something is missing", path)
			}
		}
	}
}

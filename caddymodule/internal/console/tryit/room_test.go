package tryit

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/forms"
	"github.com/fielato/fielato/internal/limit"
)

// TestTooManyAtATimeAreTurnedAway, in words and after a wait, in JSON and as a page.
func TestTooManyAtATimeAreTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site.Site{Base: "/consola", Logger: zap.NewNop(), Now: time.Now}
		s.Prepare()
		judging := &tryPage{site: s, room: limit.NewLimit(1), redactor: forms.NewRedactor()}
		s.Post("/try/judge", judging.inJSON(judging.judgeOne))
		leave, err := judging.room.Enter(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		ask := func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/consola/try/judge", strings.NewReader("{}"))
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			s.ServeHTTP(w, r)
			return w
		}
		began := time.Now()
		if w := ask(); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "demasiados pedidos") || w.Header().Get("Retry-After") == "" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		if waited := time.Since(began); waited != patience {
			t.Errorf("it waited for %s", waited)
		}
		leave()
		if w := ask(); w.Code != http.StatusOK {
			t.Errorf("afterwards: %d %s", w.Code, w.Body)
		}
	})
}

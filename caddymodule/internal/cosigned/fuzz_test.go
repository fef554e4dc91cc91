package cosigned_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzAnswers: whatever a witness answers to both questions, nothing is kept that does not verify, and nothing proves
// anything against the log: only its own key and the witness's together can.
func FuzzAnswers(f *testing.F) {
	f.Add(uint16(200), "text/plain", "— testigo.example/w1 uZ9J6gAAAABrAIvM\n", uint16(200), "fielato/gw-1\n9\nPtrcDS6lmH0XcV3MaqLkJb6ZWSOR8EQDngoTNDF2k/A=\n\n— a b\n")
	f.Add(uint16(409), "text/x.tlog.size", "18446744073709551615\n", uint16(404), "")
	f.Add(uint16(409), "text/x.tlog.size; a=b", "2\n", uint16(200), "\n\n")
	f.Add(uint16(422), "", "LINE", uint16(200), "LINE")
	f.Fuzz(func(t *testing.T, status uint16, kind, text string, monitored uint16, shown string) {
		of := newTrail(t, 3)
		w := newPlace(t, "testigo.example/w1", 7, of.Verifier())
		valid := func(status uint16) int { return 200 + int(status)%400 }
		w.be(func(out http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				out.WriteHeader(valid(monitored))
				_, _ = io.WriteString(out, shown)
				return
			}
			body, _ := io.ReadAll(r.Body)
			out.Header().Set("Content-Type", strings.ToValidUTF8(kind, ""))
			out.WriteHeader(valid(status))
			_, _ = io.WriteString(out, strings.ReplaceAll(text, "LINE", lineOf(t, body, w.key.At(time.Now()))))
		})
		g := newGroup(t, of, 0, false, w)
		if err := g.First(t.Context(), of); err != nil {
			t.Error(err)
		}
		if newest := of.keeper.Newest(); newest != nil {
			verified(t, newest, of, w)
		}
		if err := of.keeper.Contradicted(); err != nil {
			t.Error(err)
		}
	})
}

package binding

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/once"
)

// TestAnotherProgramIsTold: by a page where JSON belongs, or by a status that sends the client
// elsewhere; never by a failure that may pass.
func TestAnotherProgramIsTold(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   bool
	}{
		{200, "<html>Iniciar sesión</html>", true},
		{200, "", true},
		{200, `{}`, false},
		{302, "", true},
		{404, "404 page not found", true},
		{404, `{"error":"no route"}`, true},
		{401, "", true},
		{405, "", true},
		{500, "<html>", false},
		{502, "<html>502 Bad Gateway</html>", false},
		{503, "", false},
		{504, "", false},
		{429, "", false},
	} {
		if got := (Reply{Status: c.status, Body: []byte(c.body)}).IsAnotherProgram(); got != c.want {
			t.Errorf("%d %q: %v", c.status, c.body, got)
		}
	}
}

// TestAnswerAboutAnotherProgramSaysWhatCame, and nothing of its content.
func TestAnswerAboutAnotherProgramSaysWhatCame(t *testing.T) {
	page := Reply{Status: 404, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte("<html>secreto</html>")}
	reply, err := AnotherProgram(page, true, once.ErrAnotherProgram).Reply()
	text := string(reply.Body)
	if err != nil || reply.Status != http.StatusGatewayTimeout ||
		!strings.Contains(text, "upstream.unknown") || !strings.Contains(text, "HTTP 404, una página web") ||
		!strings.Contains(text, "no se procesa dos veces") || strings.Contains(text, "secreto") {
		t.Errorf("%d %s, %v", reply.Status, text, err)
	}
	reply, err = AnotherProgram(Reply{Status: 200}, false, once.ErrAnotherProgram).Reply()
	if err != nil || !strings.Contains(string(reply.Body), "sin contenido") || strings.Contains(string(reply.Body), "no se procesa dos veces") {
		t.Errorf("%s, %v", reply.Body, err)
	}
}

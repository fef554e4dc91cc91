package gateway_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/openapi"
)

// TestOpenAPIIsServedWhereTheOptionSays, without a record, and printed by the command.
func TestOpenAPIIsServedWhereTheOptionSays(t *testing.T) {
	s := caddytest.Start(t, "respond ok", "openapi /docs/openapi.json")
	get := func(method, path string) (*http.Response, []byte) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, body
	}
	if got, body := get("GET", "/docs/openapi.json"); got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "application/json" || !bytes.Equal(body, openapi.Document) {
		t.Errorf("GET: %d %v, %d bytes", got.StatusCode, got.Header, len(body))
	}
	if got, body := get("HEAD", "/docs/openapi.json"); got.StatusCode != http.StatusOK || len(body) != 0 {
		t.Errorf("HEAD: %d, %d bytes", got.StatusCode, len(body))
	}
	if n := len(s.Records()); n != 0 {
		t.Errorf("%d records", n)
	}
	if got, _ := get("GET", "/openapi.json"); got.StatusCode == http.StatusOK {
		t.Errorf("elsewhere: %d", got.StatusCode)
	}
	if out, _, err := caddytest.RunCommand("openapi"); err != nil || out != string(openapi.Document) {
		t.Errorf("the command: %d bytes, %v", len(out), err)
	}
	for path, want := range map[string]string{
		"openapi.json": "give a path", "/openapi.json?v=1": "give a path",
		"/api/wsfev1/openapi.json": "this is where the operations are", "/WSFEv1/Service.asmx": "this is where the WSDL is",
	} {
		if err := caddytest.LoadCaddyfile(s.Config(s.WithAudit("openapi "+path), "respond ok")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("openapi %s: %v", path, err)
		}
	}
}

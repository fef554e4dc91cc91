package gateway_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// everyByte writes every byte of a text by a format.
func everyByte(format, text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, format, text[i])
	}
	return b.String()
}

// quotedForms are forms in which services quote a credential. None has a byte that a header cannot hold.
func quotedForms(credential string) map[string]string {
	wide := everyByte("%c\x00", credential)
	return map[string]string{
		"hexadecimal": hex.EncodeToString([]byte(credential)), "hexadecimal, upper": strings.ToUpper(hex.EncodeToString([]byte(credential))), "hexadecimal, colons": everyByte("%02x:", credential),
		"hexadecimal of UTF-16": hex.EncodeToString([]byte(wide)), "base64 of UTF-16": base64.StdEncoding.EncodeToString([]byte(wide)),
		"entities": everyByte("&#%d;", credential), "entities, zeros": everyByte("&#%06d;", credential), "entities, hexadecimal": everyByte("&#X%X;", credential), "entities of entities": everyByte("&amp;#%d;", credential),
		"escapes": everyByte(`\u%04x`, credential), "escapes of entities": everyByte(`\u0026#%d;`, credential), "bytes": everyByte(`\x%02x`, credential),
		"quoted-printable": everyByte("=%02X", credential), "percent": everyByte("%%%02x", credential), "pointer": strings.ReplaceAll(credential, "/", "~1"),
		"base64": base64.StdEncoding.EncodeToString([]byte(credential)), "base64, later": base64.RawURLEncoding.EncodeToString([]byte("{ " + credential)), "blanks": everyByte("%c ", credential),
	}
}

// TestNoFormOfACredentialStays that the service quotes: neither in a record, nor in a header, nor in a log.
func TestNoFormOfACredentialStays(t *testing.T) {
	m := caddytest.NewMarkers()
	for name, credential := range map[string]string{"Token": m.Token, "Sign": m.Sign} {
		t.Run(name, func(t *testing.T) {
			var quote atomic.Pointer[string]
			v := caddytest.OpenVault(t, "", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Quote", *quote.Load())
				text, _ := json.Marshal(*quote.Load())
				caddytest.Answering(200, strings.TrimSuffix(caddytest.Approval, "}")+`,"Events":{"Evt":[{"Code":1,"Msg":`+string(text)+`}]}}`)(w, r)
			})
			v.Quiet()
			request := strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))
			forms := quotedForms(credential)
			for form, text := range forms {
				quote.Store(&text)
				for _, face := range caddytest.Faces {
					got := face.Post(v.Site, "FECAESolicitar", request)
					if got.Header.Get("Wsfev1-Outcome") != "approved" || !face.IsSOAP && !strings.HasPrefix(got.Header.Get("X-Quote"), "hmac-sha256:") {
						t.Errorf("%s in %s: %d %v", face.Name, form, got.Status, got.Header)
					}
					checkQuoted(t, v.Last(), face.Name+" in "+form)
				}
			}
			v.SearchHeaders(t)
			for _, file := range []string{"access.log", "default.log"} {
				log, err := os.ReadFile(filepath.Join(v.Folder, file))
				if err != nil {
					t.Fatal(err)
				}
				for form, text := range forms {
					quoted, _ := json.Marshal(text[:60])
					if bytes.Contains(log, quoted[1:len(quoted)-1]) || bytes.Contains(log, []byte(text[:60])) {
						t.Errorf("%s has %s", file, form)
					}
				}
			}
		})
	}
}

// checkQuoted checks that the record has a fingerprint in place of the quoted credential.
func checkQuoted(t *testing.T, r *audit.Record, name string) {
	t.Helper()
	var answer struct {
		Events struct{ Evt []struct{ Msg string } }
	}
	if err := json.Unmarshal(r.Answer, &answer); err != nil || len(answer.Events.Evt) != 1 || !strings.HasPrefix(answer.Events.Evt[0].Msg, "hmac-sha256:") {
		t.Errorf("%s: recorded %s", name, r.Answer)
	}
	if r.Client != nil && !bytes.Contains(r.Client.Answer, []byte("<Msg>hmac-sha256:")) {
		t.Errorf("%s: recorded %s", name, r.Client.Answer)
	}
}

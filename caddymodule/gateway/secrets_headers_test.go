package gateway_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// echoesOf are the ways in which a service may quote a credential in a header.
func echoesOf(credential string) map[string]string {
	plain, err := base64.StdEncoding.DecodeString(credential)
	if err != nil {
		panic(err)
	}
	everyByte := ""
	for _, b := range []byte(credential) {
		everyByte += "%" + hex.EncodeToString([]byte{b})
	}
	slashes := strings.NewReplacer("/", `\/`, "+", `\u002b`)
	return map[string]string{
		"X-Whole": credential, "X-Quoted": `token="` + credential + `", x`, "X-Cut": credential[:60] + "…", "X-End": "…" + credential[80:],
		"X-Percent": url.QueryEscape(credential), "X-Percent-Every": everyByte, "X-Percent-Twice": url.QueryEscape(url.QueryEscape(credential)),
		"X-Json": slashes.Replace(credential), "X-Json-Twice": strings.ReplaceAll(credential, "/", `\\/`), "X-Pointer": strings.ReplaceAll(credential, "/", "~1"),
		"X-Base64": base64.StdEncoding.EncodeToString([]byte(credential)), "X-Base64-Later": "x " + base64.StdEncoding.EncodeToString([]byte("{"+credential)),
		"X-Base64-Url": base64.RawURLEncoding.EncodeToString([]byte("{ " + credential)), "X-Url-Letters": strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(credential),
		"X-Hexadecimal": hex.EncodeToString([]byte(credential)), "X-Decoded-Hex": hex.EncodeToString(plain),
		"Set-Cookie": "t=" + credential, "Location": "https://x/?t=" + url.QueryEscape(credential), "Warning": `199 x "` + credential + `"`,
		"Content-Type": `application/json; t="` + credential + `"`, "Server": credential, "Via": credential, "Etag": `"` + credential + `"`, "Www-Authenticate": "Bearer " + credential,
	}
}

// TestCredentialsInAHeaderOfTheUpstreamAreInNoLog, however it writes them: the access log has the
// headers of the answer, as the client gets them.
func TestCredentialsInAHeaderOfTheUpstreamAreInNoLog(t *testing.T) {
	m := caddytest.NewMarkers()
	for name, credential := range map[string]string{"Token": m.Token, "Sign": m.Sign} {
		t.Run(name, func(t *testing.T) {
			v := caddytest.OpenVault(t, "", func(w http.ResponseWriter, r *http.Request) {
				for header, value := range echoesOf(credential) {
					w.Header().Add(header, "kept")
					w.Header().Add(header, value)
				}
				for piece := range slices.Chunk([]byte(credential), 8) {
					w.Header().Add("X-Pieces", string(piece))
				}
				w.Header().Set("X-Node", "node-7 of a service with a long name")
				w.WriteHeader(http.StatusOK)
				_, _ = w.Write([]byte(caddytest.Approval))
			})
			v.Quiet()
			for _, face := range caddytest.Faces {
				checkHeaders(t, v, face, credential)
			}
			v.SearchHeaders(t)
		})
	}
}

// checkHeaders sends an invoice and looks at the headers that the client gets. Towards SOAP none
// of the upstream's is passed on.
func checkHeaders(t *testing.T, v *caddytest.Vault, face caddytest.Face, credential string) {
	t.Helper()
	got := face.Post(v.Site, "FECAESolicitar", strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1)))
	node := "node-7 of a service with a long name"
	if face.IsSOAP {
		node = ""
	}
	if got.Status != 200 || got.Header.Get("X-Node") != node || got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Errorf("%s: %d %v %s", face.Name, got.Status, got.Header, got.Body)
	}
	for header := range echoesOf(credential) {
		if values := got.Header.Values(header); header != "Content-Type" && !face.IsSOAP && (!slices.Contains(values, "kept") || !strings.HasPrefix(values[len(values)-1], "hmac-sha256:")) {
			t.Errorf("%s: %q", header, values)
		}
	}
	for _, piece := range got.Header.Values("X-Pieces")[:min(len(got.Header.Values("X-Pieces")), len(credential)/8-1)] {
		if !strings.HasPrefix(piece, "hmac-sha256:") {
			t.Errorf("%s: X-Pieces has %q", face.Name, piece)
		}
	}
	var all bytes.Buffer
	_ = got.Header.Write(&all)
	v.AbsentFrom(t, "the answer to "+face.Name, all.Bytes())
}

// TestTheDocumentWithinATokenIsInNoHeader: a Token is XML in base64.
func TestTheDocumentWithinATokenIsInNoHeader(t *testing.T) {
	const document = `<sso version="2.0"><id src="CN=wsaahomo" unique_id="4711000815" gen_time="1795000000"/></sso>`
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Ticket", "for "+document)
		w.Header().Set("X-Node", "node-7 of a service with a long name")
		caddytest.Answering(200, caddytest.Approval)(w, r)
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	for _, face := range caddytest.Faces {
		got := face.Post(s, "FECAESolicitar", strings.ReplaceAll(caddytest.Invoice(1), caddytest.Token, base64.StdEncoding.EncodeToString([]byte(document))))
		value, node := got.Header.Get("X-Ticket"), got.Header.Get("X-Node")
		if got.Status != 200 || face.IsSOAP && value+node != "" || !face.IsSOAP && (!strings.HasPrefix(value, "hmac-sha256:") || node != "node-7 of a service with a long name") {
			t.Errorf("%s: %d %v", face.Name, got.Status, got.Header)
		}
	}
}

// TestCredentialsInANameOrAStatusAreInNoLog: Go writes names in letters of another case.
func TestCredentialsInANameOrAStatusAreInNoLog(t *testing.T) {
	m := caddytest.NewMarkers()
	name := "X-" + strings.NewReplacer("/", "", "=", "", "+", "").Replace(m.Sign)
	v := caddytest.OpenVault(t, "", caddytest.RawAnswer("HTTP/1.1 200 "+m.Token+"\r\nContent-Type: application/json\r\n"+name+": 1\r\n"+m.Sign[:40]+"X: 1\r\nX-Whole: "+m.Token+"\r\nConnection: close\r\n\r\n"+caddytest.Approval))
	v.Quiet()
	for _, face := range caddytest.Faces {
		got := face.Post(v.Site, "FECAESolicitar", strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1)))
		if got.Status != 200 || got.Header.Get(name) != "" {
			t.Errorf("%s: %d %v %s", face.Name, got.Status, got.Header, got.Body)
		}
	}
	v.SearchHeaders(t)
	log, err := os.ReadFile(filepath.Join(v.Folder, "access.log"))
	if err != nil || bytes.Contains(bytes.ToLower(log), bytes.ToLower([]byte(m.Sign[:24]))) {
		t.Errorf("%v %s", err, log)
	}
}

// TestCredentialsInAHeaderOfABrokenAnswerAreInNoLog: reverse_proxy tells of it by placeholders.
func TestCredentialsInAHeaderOfABrokenAnswerAreInNoLog(t *testing.T) {
	m := caddytest.NewMarkers()
	v := caddytest.OpenVault(t, "", caddytest.RawAnswer("HTTP/1.1 200 OK\r\nX-Whole: "+m.Token+"\r\nContent-Length: 5000\r\n\r\n{"))
	v.Quiet()
	for _, face := range caddytest.Faces {
		if got := face.Post(v.Site, "FECAESolicitar", strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))); got.Status != face.Status(504) {
			t.Errorf("%s: %d %v %s", face.Name, got.Status, got.Header, got.Body)
		}
	}
	v.SearchHeaders(t)
}

// TestCredentialsInAHeaderOfTheHandlersInFrontAreInNoLog.
func TestCredentialsInAHeaderOfTheHandlersInFrontAreInNoLog(t *testing.T) {
	v := caddytest.OpenVault(t, "", caddytest.Answering(200, caddytest.Approval))
	v.Load(strings.Replace(strings.Replace(v.Options, " level DEBUG\n", "", 1), "\twsfev1 {", "\theader X-Whole \"known as "+v.Token+"\"\n\twsfev1 {", 1))
	for _, face := range caddytest.Faces {
		got := face.Post(v.Site, "FECAESolicitar", strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1)))
		if value := got.Header.Get("X-Whole"); !strings.HasPrefix(value, "hmac-sha256:") {
			t.Errorf("%s: %d %v", face.Name, got.Status, got.Header)
		}
	}
	v.SearchHeaders(t)
}

// TestRecipeOfDebugLog: without it reverse_proxy writes down the headers of the service's answer.
func TestRecipeOfDebugLog(t *testing.T) {
	m := caddytest.NewMarkers()
	v := caddytest.OpenVault(t, "", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Whole", m.Token)
		caddytest.Answering(200, caddytest.Approval)(w, r)
	})
	recipe := strings.NewReplacer(
		"level DEBUG", caddytest.LogTo(filepath.Join(v.Folder, "debug.log"))+"\t\tlevel DEBUG", "level INFO", caddytest.LogTo(filepath.Join(v.Folder, "proxy.log"))+"\t\tlevel INFO",
	).Replace(caddytest.RecipeText(t, "A debug log without credentials"))
	before := " log {\n" + caddytest.LogTo(filepath.Join(v.Folder, "default.log")) + " level DEBUG\n }\n"
	_, site, found := strings.Cut(v.Options, "{\n"+before)
	if !found {
		t.Fatalf("no log in %s", v.Options)
	}
	v.Load(strings.TrimSuffix(recipe, "}\n") + site)
	for _, face := range caddytest.Faces {
		if got := face.Post(v.Site, "FECAESolicitar", strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))); got.Status != 200 {
			t.Errorf("%s: %d %s", face.Name, got.Status, got.Body)
		}
	}
	v.SearchHeaders(t)
	if log, err := os.ReadFile(filepath.Join(v.Folder, "debug.log")); err != nil || !bytes.Contains(log, []byte(`"level":"debug"`)) {
		t.Errorf("%v %s", err, log)
	}
}

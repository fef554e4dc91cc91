package caddymodule_test

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
	m := newMarkers()
	for name, credential := range map[string]string{"Token": m.token, "Sign": m.sign} {
		t.Run(name, func(t *testing.T) {
			v := openVault(t, "", func(w http.ResponseWriter, r *http.Request) {
				for header, value := range echoesOf(credential) {
					w.Header().Add(header, "kept")
					w.Header().Add(header, value)
				}
				w.Header().Set("X-Node", "node-7 of a service with a long name")
				w.WriteHeader(http.StatusOK)
				_, _ = w.Write([]byte(approval))
			})
			v.quiet()
			got := v.post("FECAESolicitar", strings.NewReplacer(token, v.token, sign, v.sign).Replace(invoice(1)))
			if got.status != 200 || got.header.Get("X-Node") != "node-7 of a service with a long name" || got.header.Get("Wsfev1-Outcome") != "approved" {
				t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
			for header := range echoesOf(credential) {
				if values := got.header.Values(header); header != "Content-Type" && (!slices.Contains(values, "kept") || !strings.HasPrefix(values[len(values)-1], "hmac-sha256:")) {
					t.Errorf("%s: %q", header, values)
				}
			}
			var all bytes.Buffer
			_ = got.header.Write(&all)
			v.absentFrom(t, "the answer", all.Bytes())
			v.searchHeaders(t)
		})
	}
}

// TestTheDocumentWithinATokenIsInNoHeader: a Token is XML in base64.
func TestTheDocumentWithinATokenIsInNoHeader(t *testing.T) {
	const document = `<sso version="2.0"><id src="CN=wsaahomo" unique_id="4711000815" gen_time="1795000000"/></sso>`
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Ticket", "for "+document)
		w.Header().Set("X-Node", "node-7 of a service with a long name")
		answering(200, approval)(w, r)
	})
	s := start(t, proxyTo(upstream.URL))
	got := s.post("FECAESolicitar", strings.ReplaceAll(invoice(1), token, base64.StdEncoding.EncodeToString([]byte(document))))
	if value := got.header.Get("X-Ticket"); !strings.HasPrefix(value, "hmac-sha256:") || got.header.Get("X-Node") != "node-7 of a service with a long name" {
		t.Errorf("%d %v", got.status, got.header)
	}
}

// TestCredentialsInANameOrAStatusAreInNoLog: Go writes names in letters of another case.
func TestCredentialsInANameOrAStatusAreInNoLog(t *testing.T) {
	m := newMarkers()
	name := "X-" + strings.NewReplacer("/", "", "=", "", "+", "").Replace(m.sign)
	v := openVault(t, "", raw("HTTP/1.1 200 "+m.token+"\r\nContent-Type: application/json\r\n"+name+": 1\r\n"+m.sign[:40]+"X: 1\r\nX-Whole: "+m.token+"\r\nConnection: close\r\n\r\n"+approval))
	v.quiet()
	got := v.post("FECAESolicitar", strings.NewReplacer(token, v.token, sign, v.sign).Replace(invoice(1)))
	if got.status != 200 || got.header.Get(name) != "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	v.searchHeaders(t)
	log, err := os.ReadFile(filepath.Join(v.folder, "access.log"))
	if err != nil || bytes.Contains(bytes.ToLower(log), bytes.ToLower([]byte(m.sign[:24]))) {
		t.Errorf("%v %s", err, log)
	}
}

// TestCredentialsInAHeaderOfABrokenAnswerAreInNoLog: reverse_proxy tells of it by placeholders.
func TestCredentialsInAHeaderOfABrokenAnswerAreInNoLog(t *testing.T) {
	m := newMarkers()
	v := openVault(t, "", raw("HTTP/1.1 200 OK\r\nX-Whole: "+m.token+"\r\nContent-Length: 5000\r\n\r\n{"))
	v.quiet()
	if got := v.post("FECAESolicitar", strings.NewReplacer(token, v.token, sign, v.sign).Replace(invoice(1))); got.status != 504 {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	v.searchHeaders(t)
}

// TestCredentialsInAHeaderOfTheHandlersInFrontAreInNoLog.
func TestCredentialsInAHeaderOfTheHandlersInFrontAreInNoLog(t *testing.T) {
	v := openVault(t, "", answering(200, approval))
	v.load(strings.Replace(strings.Replace(v.options, " level DEBUG\n", "", 1), "\twsfev1 {", "\theader X-Whole \"known as "+v.token+"\"\n\twsfev1 {", 1))
	got := v.post("FECAESolicitar", strings.NewReplacer(token, v.token, sign, v.sign).Replace(invoice(1)))
	if value := got.header.Get("X-Whole"); !strings.HasPrefix(value, "hmac-sha256:") {
		t.Errorf("%d %v", got.status, got.header)
	}
	v.searchHeaders(t)
}

// TestRecipeOfDebugLog: without it reverse_proxy writes down what the service has said.
func TestRecipeOfDebugLog(t *testing.T) {
	m := newMarkers()
	v := openVault(t, "", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Whole", m.token)
		answering(200, approval)(w, r)
	})
	recipe := strings.NewReplacer(
		"level DEBUG", logTo(filepath.Join(v.folder, "debug.log"))+"\t\tlevel DEBUG", "level INFO", logTo(filepath.Join(v.folder, "proxy.log"))+"\t\tlevel INFO",
	).Replace(recipeText(t, "A debug log without credentials"))
	before := " log {\n" + logTo(filepath.Join(v.folder, "default.log")) + " level DEBUG\n }\n"
	_, site, found := strings.Cut(v.options, "{\n"+before)
	if !found {
		t.Fatalf("no log in %s", v.options)
	}
	v.load(strings.TrimSuffix(recipe, "}\n") + site)
	request := v.request(t.Context(), "FECAESolicitar", strings.NewReplacer(token, v.token, sign, v.sign).Replace(invoice(1)))
	if got := v.do(request); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	v.searchHeaders(t)
	if log, err := os.ReadFile(filepath.Join(v.folder, "debug.log")); err != nil || !bytes.Contains(log, []byte(`"level":"debug"`)) {
		t.Errorf("%v %s", err, log)
	}
}

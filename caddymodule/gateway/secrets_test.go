package gateway_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestCredentialsOfRequestsAreNotKept, however wrong the request is.
func TestCredentialsOfRequestsAreNotKept(t *testing.T) {
	v := caddytest.OpenVault(t, "", caddytest.Answering(200, caddytest.Approval))
	escaped := caddytest.Markers{Token: strings.ReplaceAll(v.Token, "/", `\/`), Sign: strings.ReplaceAll(v.Sign, "+", `\u002b`)}
	requests := caddytest.RequestsWithCredentials()
	for name, body := range requests {
		for _, m := range []caddytest.Markers{v.Markers, escaped} {
			operation := "FECAESolicitar"
			if name == "another CAEA" {
				operation = "FECAEASinMovimientoInformar"
			}
			if got := v.Post(operation, m.In(body)); got.Header.Get("Wsfev1-Record") == "" {
				t.Errorf("%s: %d without a record: %s", name, got.Status, got.Body)
			}
		}
	}
	if n := len(v.Records()); n < 40 {
		t.Errorf("only %d records", n)
	}
	// The same in other places of a request, where they have no business.
	r := v.Request(t.Context(), "FECAESolicitar", v.In(requests["right"]))
	r.Header.Set("Authorization", "Bearer "+v.Token)
	v.Do(r)
	v.Load(strings.Replace(v.Options, "audit sqlite", "max_body 1MiB\n audit sqlite", 1))
	v.Post("FECAESolicitar", v.In(requests["right"]))
	v.Search(t)
}

// TestNoPieceOfACredentialInAPathIsRecorded: a Sign has slashes, and steps between them that are
// as short as names. Caddy's own access log has the address, as for any site.
func TestNoPieceOfACredentialInAPathIsRecorded(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	long := strings.Repeat("Q0FFU29saWNpdGFy/", 12)
	for path, want := range map[string]string{
		"FECAESolicitr": "POST /api/wsfev1/FECAESolicitr",
		"FECAESolicitar/aG9sYQ/" + strings.Repeat("x", 33) + "/Z2VoZWlt": "POST hmac-sha256:",
		long: "POST hmac-sha256:",
	} {
		s.Post(path, "{}")
		kept := s.Last().Detail
		if !strings.HasPrefix(kept, want) || len(kept) > len(want)+32 {
			t.Errorf("%s is recorded as %s", path, kept)
		}
	}
}

// TestCredentialsOfCallsAreNotKept, however wrong the message is and however it is written.
func TestCredentialsOfCallsAreNotKept(t *testing.T) {
	v := caddytest.OpenVault(t, "", caddytest.Answering(200, caddytest.Approval))
	for _, version := range []soap.Version{soap.V11, soap.V12} {
		for name, message := range messagesWithCredentials(v.Site, version) {
			for spelling, spell := range spellings {
				if version == soap.V12 && spelling != "as they are" {
					continue
				}
				got := v.Send(version, "FECAESolicitar", spell(v.Markers, message))
				if got.Header.Get("Wsfev1-Record") == "" {
					t.Errorf("%s, %s: %d without a record: %s", name, spelling, got.Status, got.Body)
				}
				v.AbsentFrom(t, "the answer to "+name, got.Body)
			}
		}
	}
	kept := 0
	for _, r := range v.Records() {
		if len(r.Client.Request) > 0 {
			kept++
		}
	}
	if kept < 80 {
		t.Errorf("only %d messages are kept", kept)
	}
	v.Search(t)
}

// TestCredentialsBesideACallAreNotKept: in its header, its address and its media type. Caddy's own
// access log has these, as it has them of any site.
func TestCredentialsBesideACallAreNotKept(t *testing.T) {
	v := caddytest.OpenVault(t, "", caddytest.Answering(200, caddytest.Approval))
	message := v.In(messagesWithCredentials(v.Site, soap.V11)["right"])
	for _, piece := range []string{v.Token, v.Sign, v.Token[:60]} {
		for name, change := range map[string]func(*http.Request){
			"action":             func(r *http.Request) { r.Header.Set("SOAPAction", piece) },
			"action's name":      func(r *http.Request) { r.Header.Set("SOAPAction", soap.ActionPrefix+piece) },
			"two actions":        func(r *http.Request) { r.Header.Add("SOAPAction", piece) },
			"action of the type": func(r *http.Request) { r.Header.Set("Content-Type", `application/soap+xml; action="`+piece+`"`) },
			"charset":            func(r *http.Request) { r.Header.Set("Content-Type", `text/xml; charset="`+piece+`"`) },
			"media type": func(r *http.Request) {
				r.Header.Set("Content-Type", "text/"+strings.NewReplacer("/", "", "=", "").Replace(piece))
			},
			"content coding":    func(r *http.Request) { r.Header.Set("Content-Encoding", piece) },
			"query":             func(r *http.Request) { r.URL.RawQuery = "WSDL&t=" + url.QueryEscape(piece) },
			"operation's query": func(r *http.Request) { r.URL.RawQuery = "op=" + url.QueryEscape(piece) },
			"path": func(r *http.Request) {
				r.URL.Path = "/" + strings.NewReplacer("/", "", "=", "", "+", "").Replace(piece) + r.URL.Path
			},
			"path behind":   func(r *http.Request) { r.URL.Path += "/" + piece },
			"method":        func(r *http.Request) { r.Method = strings.NewReplacer("/", "", "=", "", "+", "").Replace(piece)[:20] },
			"authorization": func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+piece) },
		} {
			for _, text := range []string{message, strings.ReplaceAll(message, "Auth>", "Aut>"), "<x/>"} {
				got := v.Send(soap.V11, "FECAESolicitar", text, change)
				if got.Header.Get("Wsfev1-Record") == "" {
					t.Errorf("%s: %d without a record: %s", name, got.Status, got.Body)
				}
				v.AbsentFrom(t, "the answer to a credential as "+name, got.Body)
			}
		}
	}
	if err := os.Truncate(filepath.Join(v.Folder, "access.log"), 0); err != nil {
		t.Fatal(err)
	}
	v.AbsentFrom(t, "/metrics", v.Scrape())
	v.SearchOwn(t)
}

// TestCredentialsInACallThatIsExportedAreNot in what leaves the trail: the view of a record, its
// evidence and the export.
func TestCredentialsInACallThatIsExportedAreNot(t *testing.T) {
	v := caddytest.OpenVault(t, "", caddytest.Answering(200, caddytest.Approval))
	for _, face := range caddytest.Faces {
		face.Post(v.Site, "FECAESolicitar", face.Own(strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1))))
		text := face.Write(v.Site, "FECAESolicitar", strings.NewReplacer(caddytest.Token, v.Token, caddytest.Sign, v.Sign).Replace(caddytest.Invoice(1)))
		face.PostText(v.Site, "FECAESolicitar", strings.NewReplacer(`"PtoVta":1`, `"PtoVta":"`+v.Token+`"`, "<PtoVta>1<", "<PtoVta>"+v.Token+"<").Replace(text))
	}
	folder := t.TempDir()
	for i := range v.Records() {
		for _, arguments := range [][]string{
			{"show", strconv.Itoa(i)}, {"show", strconv.Itoa(i), "--format", "json"}, {"prove", strconv.Itoa(i)},
		} {
			out, errs, err := caddytest.AuditCommand(append(arguments, "--store", "sqlite:"+v.Store)...)
			if err != nil {
				t.Errorf("%v: %v %s", arguments, err, errs)
			}
			v.AbsentFrom(t, strings.Join(arguments, " "), []byte(out+errs))
		}
	}
	for _, arguments := range [][]string{
		{"export", "--output", filepath.Join(folder, "export")},
		{"evidence", "--cuit", caddytest.IssuerOf(2).String(), "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "1", "--output", filepath.Join(folder, "evidence")},
	} {
		if _, errs, err := caddytest.AuditCommand(append(arguments, "--store", "sqlite:"+v.Store)...); err != nil {
			t.Errorf("%v: %v %s", arguments, err, errs)
		}
	}
	if seen := v.AbsentFromFolder(t, folder); seen < 5_000 {
		t.Errorf("only %d bytes were looked through", seen)
	}
	v.Search(t)
}

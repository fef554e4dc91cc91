package tryit_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
)

// TestCredentialsAreNowhere: in no answer, whatever the document is, and in no log.
func TestCredentialsAreNowhere(t *testing.T) {
	c, m := newConsole(t), fixture.NewMarkers()
	const open = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><FECAESolicitar xmlns="http://ar.gov.afip.dif.FEV1/">`
	requests := fixture.RequestsWithCredentials()
	requests["SOAP"] = open + `<Auth><Token>$T</Token><Sign>$S</Sign></Auth><FeCAEReq><FeCabReq><PtoVta>$T</PtoVta></FeCabReq></FeCAEReq></FECAESolicitar></s:Body></s:Envelope>`
	requests["SOAP, cut off"] = open + `<Auth><Token>$T`
	requests["recorded HTTP"] = "POST /x?token=$T HTTP/1.1\nSOAPAction: $S\n\n{}"
	requests["a sheet"] = "Cuit;PtoVta;CbteTipo;MonId\n$T;$S;6;$T"
	requests["a sheet's names"] = "Cuit;PtoVta;CbteTipo;$T\n1;1;6;$S"
	read := 0
	for name, request := range requests {
		request = m.In(request)
		one := c.do(httptest.NewRequest(http.MethodPost, "/consola/try/judge", strings.NewReader(request)))
		lines := c.do(httptest.NewRequest(http.MethodPost, "/consola/try/judge-lines?first=1", strings.NewReader(request)))
		rows := c.do(httptest.NewRequest(http.MethodPost, "/consola/try/judge-lines?first=1&kind=csv", strings.NewReader(request)))
		page := c.post(t, map[string]string{"document": request})
		file := c.post(t, map[string]string{"file": request, "as": "csv"})
		for _, w := range []*httptest.ResponseRecorder{one, lines, rows, page, file} {
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
			m.AbsentFrom(t, name, append(w.Body.Bytes(), fmt.Sprint(w.Header())...))
			read += w.Body.Len()
		}
	}
	for _, choice := range []string{"operation=$T", "date=$S", "gateway=$T", "first=$S"} {
		w := c.do(httptest.NewRequest(http.MethodPost, "/consola/try/judge-lines?"+m.In(strings.ReplaceAll(choice, "+", "%2b")), strings.NewReader("{}")))
		m.AbsentFrom(t, choice, w.Body.Bytes())
	}
	if logged := c.log.All(); len(logged) > 0 || read < 100_000 {
		t.Errorf("%d bytes were looked through, and the log has %v", read, logged)
	}
}

// TestHostileDocumentsAreJudged like any other: in words, in bounded answers.
func TestHostileDocumentsAreJudged(t *testing.T) {
	c := newConsole(t)
	entities := `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]><a>&b;&x;</a>`
	for name, document := range map[string]string{
		"depth":              strings.Repeat("[", 1<<20),
		"depth of objects":   strings.Repeat(`{"a":`, 1<<18),
		"depth in XML":       strings.Repeat("<a>", 1<<18),
		"no UTF-8":           strings.Replace(wrong(), `"PES"`, "\"\xff\xfe\xc3\x28\"", 1),
		"no UTF-8 in SOAP":   "<a>\xff\xfe\xc3\x28</a>",
		"NUL":                "{\x00}",
		"a text of 100 kB":   strings.Replace(wrong(), `"PES"`, `"`+strings.Repeat("x", 100_000)+`"`, 1),
		"a name of 100 kB":   strings.Replace(wrong(), `"MonId"`, `"`+strings.Repeat("x", 100_000)+`":1,"MonId"`, 1),
		"a million findings": `{"X":[` + strings.Repeat(`{"a":1},`, 1<<17) + `1]}`,
		"unknown members":    "{" + strings.Repeat(`"a":1,`, 1<<17) + `"b":1}`,
		"entities":           entities,
		"script":             strings.Replace(wrong(), `"PES"`, `"</script><script>alert(1)</script>"`, 1),
		"turned around":      strings.Replace(wrong(), `"MonId"`, "\"\u202e\u2066Mon\":1,\"MonId\"", 1),
		"a figure too long":  strings.Replace(wrong(), "150.00", strings.Repeat("9", 100_000), 1),
	} {
		f, w := c.judge(t, document)
		if w.Code != http.StatusOK || f.Class == "good" || f.Class == "" || w.Body.Len() > 400_000 {
			t.Errorf("%s: %d, %q, %d bytes", name, w.Code, f.Class, w.Body.Len())
		}
		page := c.post(t, map[string]string{"document": document})
		if text := page.Body.String(); page.Code != http.StatusOK || strings.Contains(text, "<script>alert") || strings.Contains(text, "root:") || strings.ContainsAny(text, "\u202e\u2066\x00") || len(text) > 500_000 {
			t.Errorf("%s: %d, a page of %d bytes", name, page.Code, len(text))
		}
	}
}

// TestTooMuchIsRefused in words, and nothing of it is left on the disk.
func TestTooMuchIsRefused(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c, much := newConsole(t), strings.Repeat(" ", 4<<20+1)
	if f, w := c.judge(t, much); w.Code != http.StatusRequestEntityTooLarge || f.Problem == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, field := range []string{"document", "file"} {
		if w := c.post(t, map[string]string{field: much}); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "Demasiado grande") {
			t.Errorf("%s: %d", field, w.Code)
		}
	}
	if w := c.post(t, map[string]string{"date": strings.Repeat("x", 1000)}); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a long date: %d", w.Code)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("on the disk: %v, %v", left, err)
	}
}

// blocking is a body whose reader has been let in and waits for the rest.
type blocking struct{ read chan struct{} }

func (b *blocking) Read([]byte) (int, error) {
	<-b.read
	return 0, fmt.Errorf("the reader has left")
}

// TestTheBodyComesBeforeTheRoom: a reader who sends slowly keeps nobody from judging.
func TestTheBodyComesBeforeTheRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(t)
		slow := &blocking{make(chan struct{})}
		for range 50 {
			go c.do(httptest.NewRequest(http.MethodPost, "/consola/try/judge", slow))
		}
		synctest.Wait()
		if f, w := c.judge(t, wrong()); w.Code != http.StatusOK || f.codes() != "10048" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		close(slow.read)
		synctest.Wait()
	})
}

// TestAReaderWhoLeavesIsNotWaitedFor.
func TestAReaderWhoLeavesIsNotWaitedFor(t *testing.T) {
	c := newConsole(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequest(http.MethodPost, "/consola/try/judge-lines?first=1", strings.NewReader(strings.Repeat(fixture.Invoice(1)+"\n", 400)))
	if w := c.do(r.WithContext(ctx)); strings.Contains(w.Body.String(), "Rows") || len(c.log.All()) > 0 {
		t.Errorf("%s %v", w.Body, c.log.All())
	}
}

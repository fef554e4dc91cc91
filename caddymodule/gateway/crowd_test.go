package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// crowd is a message that many clients send at a time, of which decoding or judging makes many times as
// much.
type crowd struct{ name, body, media string }

// lotInSOAP is a lot of these invoices in SOAP.
func lotInSOAP(invoices string) string {
	return `<?xml version="1.0"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><FECAESolicitar xmlns="http://ar.gov.afip.dif.FEV1/">` +
		`<Auth><Token>dG9rZW4=</Token><Sign>c2lnbg==</Sign><Cuit>20111111112</Cuit></Auth><FeCAEReq><FeCabReq><CantReg>9998</CantReg><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo></FeCabReq>` +
		`<FeDetReq>` + invoices + `</FeDetReq></FeCAEReq></FECAESolicitar></soap:Body></soap:Envelope>`
}

// inUTF16 is a text in UTF-16, as some clients send it.
func inUTF16(text string) string {
	wide := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	return string(wide)
}

// crowds are the messages. The first are those that took most.
func crowds() []crowd {
	const short, json, xml = `"Token":"dG9rZW4=","Sign":"c2lnbg=="`, "application/json", "text/xml; charset=utf-8"
	lot := func(invoices string) string { return hostileLot("FECAESolicitar", short, invoices) }
	labelled := `<FECAEDetRequest id="a"><CbtesAsoc>` + strings.Repeat(`<CbteAsoc/>`, 900) + `</CbtesAsoc></FECAEDetRequest>`
	return []crowd{
		{"empty invoices", lot(strings.Repeat("{},", 9998)), json},
		{"empty invoices in SOAP", lotInSOAP(strings.Repeat("<FECAEDetRequest/>", 9998)), xml},
		{"empty aliquots in SOAP", lotInSOAP("<FECAEDetRequest><Iva>" + strings.Repeat("<AlicIva/>", 9998) + "</Iva></FECAEDetRequest>"), xml},
		{"small lots of empty invoices", lot(strings.Repeat("{},", 250)), json},
		{"invoices in UTF-16", inUTF16(lotInSOAP(strings.Repeat("<FECAEDetRequest/>", 9998))), "text/xml; charset=utf-16"},
		{"invoices with a name", lotInSOAP(each(9998, `<FECAEDetRequest id="%d"/>`)), xml},
		{"references", lotInSOAP(labelled + strings.Repeat(`<FECAEDetRequest href="#a"/>`, 100)), xml},
		{"lists of each invoice", lot(strings.Repeat(`{"Iva":{"AlicIva":[`+strings.Repeat("{},", 390)+`{}]}},`, 250)), json},
		{"invoices of a wrong kind", lot(strings.Repeat("1,", 9998)), json},
		{"unknown members", lot("{" + each(5000, `"z%d":1,`) + `"zz":1}`), json},
		{"amounts of too many digits", lot(strings.Repeat(`{"ImpTotal":1.00000000000000001},`, 2000)), json},
		{"names of another namespace", lotInSOAP(each(4000, `<z%d/>`) + `<FECAEDetRequest>` + strings.Repeat(`<Iva><AlicIva/></Iva>`, 4000) + `</FECAEDetRequest>`), xml},
		{"invoices under an advance code", hostileLot("FECAEARegInformativo", short, strings.Repeat("{},", 9998)), json},
	}
}

// request returns a request with the message.
func (c crowd) request(s *caddytest.Site) *http.Request {
	operation := "FECAESolicitar"
	if strings.Contains(c.body, "FECAEADetRequest") {
		operation = "FECAEARegInformativo"
	}
	path := "/api/wsfev1/" + operation
	if c.media != "application/json" {
		path = "/wsfev1/service.asmx"
	}
	r := httptest.NewRequestWithContext(s.T.Context(), http.MethodPost, s.URL+path, strings.NewReader(c.body))
	r.Header.Set("Content-Type", c.media)
	if c.media != "application/json" {
		r.Header.Set("SOAPAction", `"http://ar.gov.afip.dif.FEV1/`+operation+`"`)
	}
	return r
}

// crowdMemory is the memory that a crowd may hold, in bytes: sixteen times the weights of max_bodies and
// a quarter of it, and the bytes that are read before a request's turn. docs/operating.md has the figure
// of a whole process.
const crowdMemory = 8<<20*5/4*16 + 64<<20

// TestACrowdOfItemsTakesBoundedMemory, whatever its messages become once they are decoded, and an
// invoice passes it.
func TestACrowdOfItemsTakesBoundedMemory(t *testing.T) {
	for _, c := range testrun.Few(t, 2, crowds()) {
		for _, mode := range testrun.Few(t, 1, []string{"enforce", "observe"}) {
			t.Run(c.name+", "+mode, func(t *testing.T) {
				s := caddytest.Start(t, "test_approve", "in_flight wait 5m", "mode "+mode)
				clients := testrun.Whole(t, 32, 200)
				alone, beside, most := besideCrowd(s, c, clients)
				t.Logf("%d requests of %d kB: %d MiB at most; an invoice takes %v alone, median %v and at most %v of %d beside them",
					clients, len(c.body)>>10, most>>20, alone, beside[len(beside)/2], beside[len(beside)-1], len(beside))
				if most > crowdMemory {
					t.Errorf("%d MiB of memory, more than %d", most>>20, crowdMemory>>20)
				}
			})
		}
	}
}

// besideCrowd lets clients send the message at a time, and issues invoices until all were answered. It
// returns how long an invoice takes before, how long each takes meanwhile, sorted, and the most memory.
func besideCrowd(s *caddytest.Site, c crowd, clients int) (alone time.Duration, beside []time.Duration, most uint64) {
	s.T.Helper()
	server := s.Server()
	number := 0
	issue := func() time.Duration {
		number++
		r := crowd{"", caddytest.Invoice(number), "application/json"}.request(s)
		w := httptest.NewRecorder()
		began := time.Now()
		server.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), `"Resultado":"A"`) {
			s.T.Errorf("invoice %d: %d %s", number, w.Code, w.Body)
		}
		return time.Since(began)
	}
	issue()
	alone = issue()
	most = heapDuring(func() {
		var group sync.WaitGroup
		for range clients {
			group.Go(func() {
				w := httptest.NewRecorder()
				if server.ServeHTTP(w, c.request(s)); w.Code == http.StatusServiceUnavailable || w.Code == http.StatusInternalServerError && c.media == "application/json" {
					s.T.Errorf("one of the crowd: %d %s", w.Code, fmt.Sprintf("%.300s", w.Body))
				}
			})
		}
		answered := make(chan struct{})
		go func() { group.Wait(); close(answered) }()
		for {
			beside = append(beside, issue())
			select {
			case <-answered:
				return
			default:
			}
		}
	})
	slices.Sort(beside)
	return alone, beside, most
}

package grafana_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // locks a trail
)

// The issuers of the traffic: what becomes of their requests is in the gateway's faults.
const (
	issuerPlain     = "20111111112"
	issuerRecovered = "30500010912"
	issuerNotIssued = "30000000007"
	issuerUnknown   = "20222222223"
	issuerFailing   = "20333333334"
	issuerSlow      = "20444444445"
)

// trafficTrace is the trace that all requests are a part of.
const trafficTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// outcomes are all that an exchange can have.
var outcomes = strings.Fields("approved observed partial rejected answered upstream_error inadmissible malformed refused" +
	" unrecorded not_sent unknown recovered not_issued replayed cached conflict busy unsettled outage")

func auth(issuer, token string) string {
	return fmt.Sprintf(`"Auth":{"Token":%q,"Sign":"sign","Cuit":%s}`, token, issuer)
}

// item is an invoice of 121 pesos; more is put into it, and total in the place of 121.
func item(number int, total, more string) string {
	return fmt.Sprintf(`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":%[1]d,"CbteHasta":%[1]d,"ImpTotal":%[2]s,"ImpTotConc":0,`+
		`"ImpNeto":100,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21,"MonId":"PES","MonCotiz":1%[3]s,`+
		`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21}]}}`, number, total, more)
}

const receiver = `,"CondicionIVAReceptorId":5`

// lot is a FECAESolicitar with class B invoices.
func lot(issuer string, point int, items ...string) string {
	return fmt.Sprintf(`{%s,"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":%d,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[%s]}}}`,
		auth(issuer, "token"), len(items), point, strings.Join(items, ","))
}

func invoice(issuer string, point, number int) string {
	return lot(issuer, point, item(number, "121", receiver))
}

// want sends a request that must have the outcome.
func (g *gateway) want(outcome, host, operation, body string, headers ...string) {
	g.t.Helper()
	if got, answer := g.send(host, operation, body, headers...); got != outcome {
		g.t.Errorf("%s: outcome %q, want %q: %s", operation, got, outcome, answer)
	}
}

// send sends a request, by GET if it has no body, and returns its outcome and its answer.
func (g *gateway) send(host, operation, body string, headers ...string) (outcome, answer string) {
	g.t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(g.t.Context(), method, "http://"+host+"/api/wsfev1/"+operation, strings.NewReader(body))
	if err != nil {
		return "", err.Error()
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("traceparent", "00-"+trafficTrace+"-00f067aa0ba902b7-01")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err.Error()
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.Header.Get("Wsfev1-Outcome"), fmt.Sprintf("%d %s", resp.StatusCode, text)
}

// traffic brings about every outcome, each time in series of another point of sale.
func (g *gateway) traffic(point int) {
	var group sync.WaitGroup
	defer group.Wait()
	for _, part := range []func(int){g.answers, g.repeats, g.questions, g.losses, g.disagreements, g.narrowness, g.outage, g.lock, g.clients} {
		group.Go(func() { part(point) })
	}
}

func (g *gateway) answers(point int) {
	issue := func(outcome, body string) { g.want(outcome, g.judging, "FECAESolicitar", body) }
	issue("approved", invoice(issuerPlain, point, 1))
	issue("observed", lot(issuerPlain, point, item(2, "121", "")))
	nobody := strings.Replace(item(4, "121", receiver), `"DocTipo":99,"DocNro":0`, `"DocTipo":80,"DocNro":30000102381`, 1)
	issue("partial", lot(issuerPlain, point, item(3, "121", receiver), nobody))
	issue("rejected", invoice(issuerPlain, point, 500))
	issue("refused", lot(issuerPlain, point, item(4, "122", receiver)))
	issue("malformed", `{"FeCAEReq":1}`)
	issue("inadmissible", "")
}

func (g *gateway) repeats(point int) {
	other := "27300000004"
	g.want("approved", g.judging, "FECAESolicitar", invoice(other, point, 1))
	g.want("replayed", g.judging, "FECAESolicitar", invoice(other, point, 1))
	key := []string{"Idempotency-Key", fmt.Sprintf(`"key-%d"`, point)}
	g.want("approved", g.judging, "FECAESolicitar", invoice(other, point, 2), key...)
	g.want("conflict", g.judging, "FECAESolicitar", invoice(other, point, 3), key...)
}

// questions come with a ticket, so that it is known when the first one expires.
func (g *gateway) questions(point int) {
	ticket, err := exec.CommandContext(g.t.Context(), g.binary, "wsfev1", "ticket", "--cuit", issuerPlain, "--format", "env").Output()
	if err != nil {
		g.t.Errorf("making a ticket: %v", err)
		return
	}
	_, token, _ := strings.Cut(lines(string(ticket))[0], "=")
	who := auth(issuerPlain, strings.Trim(token, `'"`))
	g.want("answered", g.judging, "FECompUltimoAutorizado", fmt.Sprintf(`{%s,"PtoVta":%d,"CbteTipo":6}`, who, point))
	g.want("answered", g.judging, "FECAEAConsultar", fmt.Sprintf(`{%s,"Periodo":202601,"Orden":1}`, who))
	g.want("answered", g.judging, "FEDummy", "{}")
	if point == 1 {
		g.want("answered", g.judging, "FEParamGetTiposIva", "{"+who+"}")
	}
	g.want("cached", g.judging, "FEParamGetTiposIva", "{"+who+"}")
	g.want("upstream_error", g.judging, "FECompUltimoAutorizado", fmt.Sprintf(`{%s,"PtoVta":%d,"CbteTipo":6}`, auth(issuerFailing, "token"), point))
}

// losses are requests to which the service's answer does not come.
func (g *gateway) losses(point int) {
	g.want("recovered", g.judging, "FECAESolicitar", invoice(issuerRecovered, point, 1))
	g.want("not_issued", g.judging, "FECAESolicitar", invoice(issuerNotIssued, point, 1))
	g.want("unknown", g.judging, "FECAESolicitar", invoice(issuerUnknown, point, 1))
	g.want("unsettled", g.judging, "FECAESolicitar", invoice(issuerUnknown, point, 2))
}

// disagreements are found by both, by the service alone (the gateway is lenient there) and
// by the gateway alone (the service has that rule off).
func (g *gateway) disagreements(point int) {
	withIVA := func(amount string) string {
		return strings.Replace(item(1, "121", receiver), `"Importe":21`, `"Importe":`+amount, 1)
	}
	g.want("rejected", g.observing, "FECAESolicitar", lot(issuerPlain, point, withIVA("41")))
	g.want("rejected", g.observing, "FECAESolicitar", lot(issuerPlain, point, withIVA("23")))
	g.want("approved", g.observing, "FECAESolicitar", lot(issuerPlain, point, item(1, "141", receiver)))
}

// narrowness is two queries at a time where there is room for one.
func (g *gateway) narrowness(point int) {
	body := fmt.Sprintf(`{%s,"PtoVta":%d,"CbteTipo":6}`, auth(issuerSlow, "token"), point)
	query := func() string {
		outcome, _ := g.send(g.narrow, "FECompUltimoAutorizado", body)
		return outcome
	}
	other := make(chan string)
	go func() { other <- query() }()
	if a, b := query(), <-other; a+b != "answeredbusy" && a+b != "busyanswered" {
		g.t.Errorf("two queries at a time: %s, %s", a, b)
	}
}

func (g *gateway) outage(point int) {
	first := "not_sent"
	if point > 1 {
		first = "outage"
	}
	g.want(first, g.cutOff, "FECAESolicitar", invoice(issuerPlain, point, 1))
	g.want(first, g.cutOff, "FECAESolicitar", invoice(issuerPlain, point, 1))
	g.want("outage", g.cutOff, "FECAESolicitar", invoice(issuerPlain, point, 1))
}

// lock holds a trail's database, as a tool that looks into it would.
func (g *gateway) lock(point int) {
	db, err := sql.Open("sqlite", filepath.Join(g.folder, "locked.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		g.t.Error(err)
		return
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		g.t.Error(err)
		return
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		g.t.Error(err)
	}
	g.want("unrecorded", g.locked, "FECAESolicitar", invoice(issuerPlain, point, 1))
	if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		g.t.Error(err)
	}
}

package grafana_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"
)

// userHash is the bcrypt hash of "example-only", of a low cost.
const userHash = "$2a$04$5fw81mL/1IchsnMN4rWMpOab0p5w5b0vrSJ7ymsjhbrYvYmzFFQKe"

// byUser returns the header of a user of the site of clients.
func byUser(name string) []string {
	return []string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(name+":example-only"))}
}

// clients are requests of three users: shop has one slot, erp one request an hour, and mallory is no client.
func (g *gateway) clients(point int) {
	answers := make(chan string)
	for i := range 3 {
		go func() {
			// Each invoice has a point of sale, and so a series, of its own: none waits for another's number. The
			// service rejects invoices at points that it does not know.
			outcome, _ := g.send(g.shared, "FECAESolicitar", invoice(issuerSlow, 3*point-i, 1), byUser("shop")...)
			answers <- outcome
		}()
	}
	const busy = "busy"
	all := []string{<-answers, <-answers, <-answers}
	slices.Sort(all)
	if !slices.Equal(all, []string{"approved", busy, busy}) && !slices.Equal(all, []string{busy, busy, "rejected"}) {
		g.t.Errorf("three invoices at a time of a client with one slot: %s", all)
	}
	g.want("inadmissible", g.shared, "FEParamGetTiposIva", "{"+auth(issuerPlain, "token")+"}", byUser("shop")...)
	first := "answered"
	if point > 1 {
		first = "busy"
	}
	query := fmt.Sprintf(`{%s,"PtoVta":%d,"CbteTipo":6}`, auth(issuerPlain, "token"), point)
	g.want(first, g.shared, "FECompUltimoAutorizado", query, byUser("erp")...)
	g.want("busy", g.shared, "FECompUltimoAutorizado", query, byUser("erp")...)
	g.want("inadmissible", g.shared, "FECompUltimoAutorizado", query, byUser("mallory")...)
}

const (
	sent   = `wsfev1_client_requests_total{instance="a",client=`
	slots  = `wsfev1_client_slots{client="shop",instance=`
	beyond = "Beyond rate or share, by client"
)

var clientStats = []shown{
	{beyond, "without clients", bothUp, ""},
	{beyond, "no client was turned away", with(map[string]string{sent + `"shop",result="admitted"}`: "0+60x20"}), ""},
	{beyond, "one of two is, half of the time", with(map[string]string{
		sent + `"shop",result="admitted"}`: "0+60x20",
		sent + `"erp",result="admitted"}`:  "0+30x20", sent + `"erp",result="rate"}`: "0+30x20",
	}), `{client="erp",result="rate"} 0.5`},
	{beyond, "a missing right is no limit", with(map[string]string{
		sent + `"shop",result="admitted"}`: "0+60x20", sent + `"shop",result="cuits"}`: "0+60x20",
	}), ""},
	{beyond, "not any more", with(map[string]string{
		sent + `"shop",result="admitted"}`: "0+60x20", sent + `"shop",result="rate"}`: "500x20",
	}), ""},
	{"At the service, by client", "of both gateways", with(map[string]string{slots + `"a"}`: "1x20", slots + `"b"}`: "2x20"}), `{client="shop"} 3`},
	{"At the service, by client", "nothing", with(map[string]string{slots + `"a"}`: "0x20", slots + `"b"}`: "0x20"}), ""},
	{"At the service, by client", "without clients", bothUp, ""},
}

// TestPanelsOfClientsShowWhoMatters: those that have something, and nothing where no client is configured.
func TestPanelsOfClientsShowWhoMatters(t *testing.T) {
	t.Parallel()
	tool(t, "promtool")
	exprs := firstQueries(t, "fielato-resources")
	for _, s := range clientStats {
		t.Run(s.panel+": "+s.name, func(t *testing.T) { s.check(t, exprs[s.panel]) })
	}
}

// TestPanelsOfClientsShowTwenty of a thousand.
func TestPanelsOfClientsShowTwenty(t *testing.T) {
	t.Parallel()
	tool(t, "promtool")
	thousand := shown{series: with(nil), want: "{} 20"}
	for i := range 1000 {
		of := fmt.Sprintf(`{instance="a",client="customer-%d"`, i)
		thousand.series["wsfev1_client_slots"+of+"}"] = "1x20"
		thousand.series["wsfev1_client_waiting"+of+"}"] = "2x20"
		thousand.series["wsfev1_client_requests_total"+of+`,result="rate"}`] = "0+60x20"
	}
	exprs := firstQueries(t, "fielato-resources")
	for _, panel := range []string{
		"Requests by client", "Turned away, by client and cause", beyond, "At the service, by client", "Waiting, by client",
	} {
		t.Run(panel, func(t *testing.T) { thousand.check(t, "count("+exprs[panel]+")") })
	}
}

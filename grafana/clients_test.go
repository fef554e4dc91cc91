package grafana_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
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
			// service rejects those of points that it does not know.
			outcome, _ := g.send(g.shared, "FECAESolicitar", invoice(issuerSlow, 3*point-i, 1), byUser("shop")...)
			answers <- outcome
		}()
	}
	all := []string{<-answers, <-answers, <-answers}
	slices.Sort(all)
	if got := strings.Join(all, " "); got != "approved busy busy" && got != "busy busy rejected" {
		g.t.Errorf("three invoices at a time of a client with one slot: %s", got)
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

package caddytest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// onceClient issues on one series, which others use too.
type onceClient struct {
	*Fleet
	http   *http.Client
	random *rand.Rand
	series int
	itself bool // it asks the service itself, where no gateway stands in front
}

// issue issues one invoice under whatever number, and reports whether to go on.
func (c *onceClient) issue(ctx context.Context, id int) bool {
	for ctx.Err() == nil {
		var last wsfev1.FECompUltimoAutorizadoAnswer
		if status := c.post(ctx, c.any(), "FECompUltimoAutorizado", LastText(c.series), &last); status != 200 || len(last.Failures()) > 0 {
			c.rest(ctx)
			continue
		}
		if c.attempt(ctx, id, last.CbteNro+1) {
			return true
		}
	}
	return false
}

// attempt sends one invoice under one number until it is known what became of it, and
// reports whether it was issued.
func (c *onceClient) attempt(ctx context.Context, id int, number int64) bool {
	text := strings.NewReplacer(`"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":`+strconv.Itoa(10_000_000+id)).Replace(LotText(c.series, number, 1))
	for ctx.Err() == nil {
		var answer wsfev1.FECAESolicitarAnswer
		switch status := c.post(ctx, c.any(), "FECAESolicitar", text, &answer); {
		case status == http.StatusConflict:
			return false // another client has the number
		case status != 200:
			c.rest(ctx) // 502, 503, 504, or no answer: the same again
		default:
			verdict := wsfev1.VerdictOf(&answer)
			if len(verdict.Codes) > 0 && passing[verdict.Codes[0]] {
				c.rest(ctx)
				continue
			}
			if verdict.Resultado != wsfev1.Aprobado {
				if len(verdict.Codes) == 0 || verdict.Codes[0] != 10016 {
					c.t.Errorf("invoice %d: %+v", id, verdict)
				}
				return false
			}
			c.learn(id, verdict.Invoices[0].Code)
			return true
		}
	}
	return false
}

// passing are the codes of the service's own trouble: nothing is wrong with the request.
var passing = map[int32]bool{500: true, 501: true, 502: true, 600: true}

// any returns one of the gateways.
func (c *onceClient) any() string { return c.Gateways[c.random.IntN(len(c.Gateways))] }

func (c *onceClient) learn(id int, code string) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.told[id] = code
}

// rest is the pause of a client before it asks again.
func (c *onceClient) rest(ctx context.Context) {
	timer := time.NewTimer(time.Duration(5+c.random.IntN(30)) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

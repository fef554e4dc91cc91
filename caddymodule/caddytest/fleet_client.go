package caddytest

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

// onceClient issues on one series, which others use too.
type onceClient struct {
	*Fleet
	http   *http.Client
	random *rand.Rand
	series int
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

// post returns the status, 0 if no whole answer came that can be read.
func (c *onceClient) post(ctx context.Context, base, operation, body string, answer any) int {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/wsfev1/"+operation, strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return 0
	}
	r.GetBody = nil // no second try behind the client's back
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode == http.StatusOK && json.Unmarshal(read, answer) != nil {
		return 0
	}
	return resp.StatusCode
}

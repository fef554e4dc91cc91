package simulator_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// killClient is one connection that issues invoices on one series.
type killClient struct {
	*victim
	http   *http.Client
	random *rand.Rand
	series int
}

// issue asks for the last number and issues one to three invoices after it. Another
// client may have been faster: then they are refused with 10016. The error ends the
// client.
func (c *killClient) issue(ctx context.Context) error {
	last, err := c.last(ctx)
	if err != nil {
		return err
	}
	var answer wsfev1.FECAESolicitarAnswer
	if err := c.ask(ctx, "FECAESolicitar", caddytest.LotText(c.series, last+1, 1+c.random.IntN(3)), &answer); err != nil {
		return err
	}
	verdict := wsfev1.VerdictOf(&answer)
	if verdict.Resultado != wsfev1.Aprobado && !slices.Contains(verdict.Codes, 10016) {
		c.T.Errorf("series %d, from %d: %s with %v", c.series, last+1, verdict.Resultado, verdict.Codes)
		return caddytest.ErrRefused
	}
	if answer.FeDetResp == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, item := range answer.FeDetResp.FECAEDetResponse {
		invoice := killedInvoice{c.series, item.CbteDesde}
		if item.Resultado != wsfev1.Aprobado {
			continue
		}
		if before, twice := c.answered[invoice]; twice {
			c.T.Errorf("%+v was given twice, under %s and %s", invoice, before, item.CAE)
		}
		c.answered[invoice] = item.CAE
	}
	return nil
}

func (c *killClient) last(ctx context.Context) (int64, error) {
	var answer wsfev1.FECompUltimoAutorizadoAnswer
	err := c.ask(ctx, "FECompUltimoAutorizado", caddytest.LastText(c.series), &answer)
	return answer.CbteNro, err
}

// look asks for an invoice that must be there, under the code that was answered if
// one was, and under no other's.
func (c *killClient) look(ctx context.Context, number int64) error {
	var answer wsfev1.FECompConsultarAnswer
	if err := c.ask(ctx, "FECompConsultar", caddytest.LookText(c.series, number), &answer); err != nil {
		return err
	}
	if answer.ResultGet == nil || answer.ResultGet.CbteDesde != number {
		return fmt.Errorf("a gap: %+v", answer)
	}
	invoice, code := killedInvoice{c.series, number}, answer.ResultGet.CodAutorizacion
	c.mu.Lock()
	defer c.mu.Unlock()
	if told, ok := c.answered[invoice]; ok && told != code {
		return fmt.Errorf("kept under %q and answered under %q", code, told)
	}
	if other, ok := c.holder[code]; ok && other != invoice {
		return fmt.Errorf("has the code %q of %+v", code, other)
	}
	c.holder[code] = invoice
	return nil
}

func (c *killClient) ask(ctx context.Context, operation, body string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		"http://"+c.address+"/api/wsfev1/"+operation, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(read, answer); err != nil || response.StatusCode != http.StatusOK {
		c.T.Errorf("%s answered %d: %s (%v)", operation, response.StatusCode, read, err)
		return caddytest.ErrRefused
	}
	return nil
}

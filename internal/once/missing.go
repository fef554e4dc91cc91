package once

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/wsfev1"
)

// maxMissing bounds how many invoices a series is searched for: a client waits, and each is a question to
// the service.
const maxMissing = 100

// Missing describes the invoices of a series that the service has and the journal lacks
// (Settings.Restored).
type Missing struct {
	Key OrderingKey
	// Known is the highest number that the journal has as approved, 0 for none, Last the highest that the
	// service has.
	Known, Last int64
	// Found are the invoices between the two that the service has described, the newest ones. Each answer
	// is in the records of the queries.
	Found int
}

// findMissing asks the service what it has issued in the series since the end of a journal that was put
// back from an older copy: once, before the first new request. Where the service does not answer, the
// request goes on, and the next one of the series asks again. Nothing can be issued twice meanwhile: the
// service refuses a number that it has, and is then asked for the invoice.
//
// Invoices may be missing only as far as nothing was approved since in the log that is written now.
func (t *Turn) findMissing(ctx context.Context, service Service) {
	c, q := t.coordinator, t.queue
	if !c.settings.Restored || q.complete || q.key.Operation != "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, t.queued.request.Policy.recoverWithin())
	defer cancel()
	found := Missing{Key: q.key, Known: q.last}
	var err error
	if found.Last, err = lastOfSeries(ctx, service, q.key); err != nil {
		return
	}
	first := max(found.Known+1, found.Last-maxMissing+1)
	for number := found.Last; number >= first; number-- {
		answer, _, err := consult(ctx, service, wsfev1.FeCompConsReq{CbteTipo: q.key.CbteTipo, CbteNro: number, PtoVta: q.key.PtoVta})
		if err != nil {
			break
		}
		if answer != nil && answer.ResultGet != nil {
			found.Found++
		}
	}
	c.raise(q, found.Last)
	q.complete = true
	if found.Last > found.Known {
		c.settings.Missing(found)
	}
}

// lastOfSeries asks the service for the highest number that it has approved in a series.
func lastOfSeries(ctx context.Context, service Service, key OrderingKey) (int64, error) {
	answer, _, err := ask[wsfev1.FECompUltimoAutorizadoAnswer](ctx, service, "FECompUltimoAutorizado",
		&wsfev1.FECompUltimoAutorizadoRequest{Auth: service.Auth(), PtoVta: key.PtoVta, CbteTipo: key.CbteTipo})
	switch {
	case err != nil:
		return 0, err
	case answer == nil, answer.PtoVta != 0 && answer.PtoVta != key.PtoVta, answer.CbteTipo != 0 && answer.CbteTipo != key.CbteTipo:
		return 0, fmt.Errorf("asking FECompUltimoAutorizado: not of this series: %w", errNoAnswer)
	}
	return answer.CbteNro, nil
}

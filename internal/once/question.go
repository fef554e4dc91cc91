package once

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once/compare"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// errNoAnswer marks an answer that does not fit the question: what was asked for is then
// neither there nor missing. A cache or a proxy on the way may answer about another invoice.
// The question is asked again.
var errNoAnswer = errors.New("that is no answer to the question")

// askSafely is ask with a panic as an error. The series stays closed and is asked about
// again; an unforeseen answer does not end the process, now or after a restart.
func (s *Settlement) askSafely(ctx context.Context, p *Pending, service Service) (complete bool, err error) {
	defer panics.Catch(taskSettle, &err)
	return s.ask(ctx, p, service)
}

// ask asks one round of questions. It reports whether everything was found.
func (s *Settlement) ask(ctx context.Context, p *Pending, service Service) (complete bool, err error) {
	switch p.Operation.Name {
	case "FECAESolicitar", "FECAEARegInformativo":
		return s.askLot(ctx, p, service)
	case "FECAEASolicitar":
		return s.askAdvance(ctx, p, service)
	case "FECAEASinMovimientoInformar":
		return s.askSinMovimiento(ctx, p, service)
	}
	return false, fmt.Errorf("no operation asks about %s", p.Operation.Name)
}

// askLot asks for the invoices in their order. The service processes a lot in this order too
// and stops at the first that it does not approve: nothing follows one that is missing.
func (s *Settlement) askLot(ctx context.Context, p *Pending, service Service) (bool, error) {
	for i, numbers := range p.Numbers {
		if s.Invoices[i] != nil {
			continue
		}
		s.Questions++
		question := wsfev1.FeCompConsReq{CbteTipo: p.Key.CbteTipo, CbteNro: numbers.CbteDesde, PtoVta: p.Key.PtoVta}
		answer, environment, err := consult(ctx, service, question)
		s.Environment = environment
		if err != nil || answer == nil {
			return false, err
		}
		found := answer.ResultGet
		if err := p.doubt(question, found); err != nil {
			return false, fmt.Errorf("asking FECompConsultar: %w", err)
		}
		differences, member := p.compare(i, found), lacking(found)
		if len(differences) > 0 && member != "" {
			return false, fmt.Errorf("asking FECompConsultar: got an invoice without %s: %w", member, errNoAnswer)
		}
		s.Invoices[i] = found
		if len(differences) > 0 {
			s.Differing, s.Differences = i, differences
			return true, nil
		}
		p.found, p.foundIn = append(p.found, found), environment
	}
	return true, nil
}

// compare returns the differences between the i-th invoice of a request and the service's.
func (p *Pending) compare(i int, kept *wsfev1.FECompConsResult) []compare.Difference {
	asked, lot := p.Numbers[i], wsfev1.LotOf(p.Body)
	switch {
	case i > 0 && asked.CbteDesde <= p.Numbers[i-1].CbteHasta: // an earlier invoice of the lot has the number
		sent := strconv.FormatInt(asked.CbteDesde, 10)
		return []compare.Difference{{Field: "CbteDesde", Sent: sent + " por segunda vez", Kept: sent}}
	case lot == nil:
		return compare.Numbers(asked, kept)
	}
	return compare.Invoice(lot, i, p.Key.Cuit, p.Redacted, kept)
}

// doubt returns why an invoice is not the one that was asked for, nil if it is: an approved
// one with a code of the right kind, whose range holds the number in question. Asked about
// any number of a range the service returns the whole range, so a longer or shorter one than
// was sent is an answer, about another invoice.
func (p *Pending) doubt(asked wsfev1.FeCompConsReq, found *wsfev1.FECompConsResult) error {
	if found == nil {
		return fmt.Errorf("got no ResultGet: %w", errNoAnswer)
	}
	kind, _, _ := strings.Cut(found.EmisionTipo, " ")
	switch {
	case found.CbteDesde > asked.CbteNro || asked.CbteNro > found.CbteHasta:
		return fmt.Errorf("asked for number %d, got %d to %d: %w", asked.CbteNro, found.CbteDesde, found.CbteHasta, errNoAnswer)
	case found.PtoVta != 0 && found.PtoVta != asked.PtoVta:
		return fmt.Errorf("asked for PtoVta %d, got %d: %w", asked.PtoVta, found.PtoVta, errNoAnswer)
	case found.CbteTipo != 0 && found.CbteTipo != asked.CbteTipo:
		return fmt.Errorf("asked for CbteTipo %d, got %d: %w", asked.CbteTipo, found.CbteTipo, errNoAnswer)
	case found.Resultado != wsfev1.Aprobado:
		return fmt.Errorf("got Resultado %q, where only approved invoices are kept: %w", found.Resultado, errNoAnswer)
	case !wsfev1.IsAuthorization(found.CodAutorizacion):
		return fmt.Errorf("got a CodAutorizacion that is no code: %w", errNoAnswer)
	case found.CbteFch == "":
		return fmt.Errorf("got no CbteFch: %w", errNoAnswer)
	case kind != "" && kind != emisionTipos[p.Operation.Name]:
		return fmt.Errorf("got EmisionTipo %q of what was sent with %s: %w", kind, p.Operation.Name, errNoAnswer)
	}
	return nil
}

// lacking returns a member that an invoice lacks and that the service gives of every one, empty if it has
// all. Compared without it, the very invoice that was sent would be another program's.
func lacking(found *wsfev1.FECompConsResult) string {
	switch {
	case found.Concepto == 0:
		return "Concepto"
	case found.DocTipo == 0:
		return "DocTipo"
	case !found.ImpTotal.Sent():
		return "ImpTotal"
	case found.MonId == "":
		return "MonId"
	case found.ImpIVA.Sign() != 0 && found.Iva == nil:
		return "Iva"
	case found.ImpTrib.Sign() != 0 && found.Tributos == nil:
		return "Tributos"
	}
	return ""
}

// emisionTipos is the EmisionTipo of what each operation issues (docs/sources.md#answers).
var emisionTipos = map[string]string{"FECAESolicitar": "CAE", "FECAEARegInformativo": "CAEA"}

func (s *Settlement) askAdvance(ctx context.Context, p *Pending, service Service) (bool, error) {
	s.Questions++
	answer, environment, err := ask[wsfev1.FECAEAConsultarAnswer](ctx, service, "FECAEAConsultar",
		&wsfev1.FECAEASolicitarRequest{Auth: service.Auth(), Periodo: p.Key.Periodo, Orden: p.Key.Orden})
	s.Environment = environment
	if err != nil || answer == nil {
		return false, err
	}
	found := answer.ResultGet
	switch {
	case found == nil || !wsfev1.IsAuthorization(found.CAEA):
		return false, fmt.Errorf("asking FECAEAConsultar: got no CAEA: %w", errNoAnswer)
	case found.Periodo != 0 && found.Periodo != p.Key.Periodo, found.Orden != 0 && found.Orden != p.Key.Orden:
		return false, fmt.Errorf("asking FECAEAConsultar: asked for fortnight %d/%d, got %d/%d: %w",
			p.Key.Periodo, p.Key.Orden, found.Periodo, found.Orden, errNoAnswer)
	}
	s.Advance = found
	return true, nil
}

func (s *Settlement) askSinMovimiento(ctx context.Context, p *Pending, service Service) (bool, error) {
	s.Questions++
	answer, environment, err := ask[wsfev1.FECAEASinMovimientoConsultarAnswer](ctx, service, "FECAEASinMovimientoConsultar",
		&wsfev1.FECAEASinMovimientoRequest{Auth: service.Auth(), PtoVta: p.Key.PtoVta, CAEA: p.Key.CAEA})
	s.Environment = environment
	if err != nil || answer == nil {
		return false, err
	}
	if answer.ResultGet != nil {
		for i := range answer.ResultGet.FECAEASinMov {
			if found := &answer.ResultGet.FECAEASinMov[i]; found.PtoVta == p.Key.PtoVta && found.CAEA == p.Key.CAEA {
				s.SinMovimiento = found
				return true, nil
			}
		}
	}
	return false, fmt.Errorf("asking FECAEASinMovimientoConsultar: got others: %w", errNoAnswer)
}

// nothingThere are the codes for something that is not there (docs/sources.md#codes), or
// that cannot be: nothing was issued at a point of sale that is not registered, of a type or
// in a fortnight that does not exist.
var nothingThere = []int32{
	602,
	10104, 10200, 10201, 10202, // FECompConsultar
	15004, 15005, // FECAEAConsultar
	10100, 10101, 10102, 10105, // FECAEASinMovimientoConsultar
}

// consult asks for the invoice with a number. It returns nil if there is none.
func consult(ctx context.Context, service Service, question wsfev1.FeCompConsReq) (*wsfev1.FECompConsultarAnswer, audit.Environment, error) {
	return ask[wsfev1.FECompConsultarAnswer](ctx, service, "FECompConsultar",
		&wsfev1.FECompConsultarRequest{Auth: service.Auth(), FeCompConsReq: question})
}

// ask returns a typed answer without Errors, nil if nothing is there: the service answers
// that with a code, and never with an empty answer. It also returns the environment of the service that answered.
func ask[Answer any](ctx context.Context, service Service, operation string, request any) (*Answer, audit.Environment, error) {
	reply, err := service.Ask(ctx, operation, request)
	if err != nil {
		return nil, "", fmt.Errorf("asking %s: %w", operation, err)
	}
	answer, ok := reply.Answer.(*Answer)
	if !ok {
		return nil, "", fmt.Errorf("asking %s: an answer of type %T", operation, reply.Answer)
	}
	failures := reply.Answer.(interface{ Failures() []wsfev1.Err }).Failures()
	for _, failure := range failures {
		switch {
		case failure.Code == 600 || failure.Code == 601:
			return nil, "", fmt.Errorf("asking %s: %w (%d)", operation, ErrCredentials, failure.Code)
		case !slices.Contains(nothingThere, failure.Code):
			return nil, "", fmt.Errorf("asking %s: the service answers with error %d", operation, failure.Code)
		}
	}
	switch {
	case len(failures) == 0:
		return answer, reply.Environment, nil
	case hasCode(answer):
		return nil, "", fmt.Errorf("asking %s: got a code, and error %d that there is none: %w", operation, failures[0].Code, errNoAnswer)
	}
	return nil, reply.Environment, nil
}

// hasCode reports whether an answer has an authorisation code.
func hasCode(answer any) bool {
	return slices.ContainsFunc(wsfev1.VerdictOf(answer).Invoices, func(i wsfev1.InvoiceVerdict) bool { return wsfev1.IsAuthorization(i.Code) })
}

package gateway

import (
	"cmp"
	"time"

	"github.com/fielato/fielato/internal/once"
)

// The values of options that switch something.
const (
	optionOn  = "on"
	optionOff = "off"
)

// policy is the resolved form of the options. Provision makes it once, so that no request
// compares the texts of a configuration.
type policy struct {
	// once are the settings of exactly once.
	once once.Policy
	// observe: rules refuse only where they are enforced by name.
	observe bool
	// replay: a repeat is answered from the trail. recover: the service is queried about a
	// request without an answer. cache: answers that change rarely are cached.
	replay, recover, cache bool
	// qr: answers have a header with the QR codes of approved invoices.
	qr bool
	// soap: clients may speak SOAP.
	soap bool
	// predict: numbers are compared with the last one. refuseUnsequenced: a number that the
	// service confirms to be wrong is refused.
	predict, refuseUnsequenced bool
	// queryTime is how long a query may take while a client waits.
	queryTime time.Duration
}

// newPolicy resolves the options, whose defaults are set.
func (g *Gateway) newPolicy() policy {
	p := policy{
		observe: g.Mode == modeObserve,
		replay:  g.Replay == optionOn, recover: g.Recover == optionOn, cache: g.Cache == optionOn, soap: g.SOAP == optionOn,
		predict: g.Sequence != sequenceOff, refuseUnsequenced: g.Sequence == sequenceEnforce, qr: g.QR == qrInHeader,
		queryTime: cmp.Or(time.Duration(g.RecoverWithin), once.DefaultRecoverWithin),
	}
	p.once = once.Policy{
		SeriesWait: time.Duration(g.SeriesWait), RecoverWithin: time.Duration(g.RecoverWithin),
		AtWork: time.Duration(g.UpstreamTimeout), NoReplay: !p.replay, NoRecovery: !p.recover,
		AllowWithoutJournal: g.Trail.Forwards(),
	}
	return p
}

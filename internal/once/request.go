package once

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// OrderingKey is the key of requests that pass one at a time: a series; the advance codes of an
// issuer; a point of sale under an advance code. Fields that do not apply are zero.
type OrderingKey struct {
	// Operation distinguishes the kinds; it is empty for a series, as both issuing
	// operations number the same one.
	Operation string
	Cuit      wsfev1.CUIT
	PtoVta    int32
	CbteTipo  int32
	CAEA      string
}

// name begins the lease's name in the store. Processes agree on it: a change of its form lets two
// versions into one queue.
func (k OrderingKey) name() string {
	return fmt.Sprintf("%s/%d/%d/%d/%s", k.Operation, int64(k.Cuit), k.PtoVta, k.CbteTipo, k.CAEA)
}

// ofTesting ends the names of leases that are about the authority's service for tests. All others have none: which
// service they are about is not always known.
const ofTesting = "/" + string(audit.EnvironmentTesting)

// leaseName is the name of the lease for requests to a kind of service. Those to production and those to the tests
// leave nothing to settle to each other.
func (k OrderingKey) leaseName(environment audit.Environment) string {
	if environment == audit.EnvironmentTesting {
		return k.name() + ofTesting
	}
	return k.name()
}

// parseLeaseName returns the key of a lease's name, false for any other text.
func parseLeaseName(name string) (k OrderingKey, ok bool) {
	name = strings.TrimSuffix(name, ofTesting)
	parts := strings.Split(name, "/")
	if len(parts) != 5 {
		return OrderingKey{}, false
	}
	var numbers [3]int64
	for i := range numbers {
		n, err := strconv.ParseInt(parts[i+1], 10, 64)
		if err != nil {
			return OrderingKey{}, false
		}
		numbers[i] = n
	}
	k = OrderingKey{
		Operation: parts[0], Cuit: wsfev1.CUIT(numbers[0]),
		PtoVta: int32(numbers[1]), CbteTipo: int32(numbers[2]), CAEA: parts[4],
	}
	return k, k.name() == name
}

// Key names what a request is to bring about, whatever else it holds: two requests with the
// same key cannot both succeed.
type Key struct {
	OrderingKey
	// Desde and Hasta are the first and the last number of the lot. Periodo and Orden are
	// the fortnight of an advance code.
	Desde, Hasta int64
	Periodo      int32
	Orden        int16
}

// Request is a request that changes something.
type Request struct {
	Operation *wsfev1.Operation
	// Body is the typed request as the service gets it.
	Body any
	Key  Key
	// Fingerprint is the fingerprint of the body as it came, without the credentials; IdempotencyKey is
	// the fingerprint of the client's header. Zeros mean none.
	Fingerprint, IdempotencyKey [16]byte
	// SentFingerprint is the fingerprint of the body as the service gets it, if something was filled in; else zeros.
	SentFingerprint [16]byte
	// OlderFingerprints returns both in the earlier forms that the store may have (canonical.Forms). It is nil
	// where there are none.
	OlderFingerprints func() [][16]byte
	// Doubtful: the caller refuses the request unless it is a repeat. So Enter must know what other processes
	// have done in the queue, and not leave that to the intent.
	Doubtful bool
	// TraceID is the trace of the exchange that the request came with.
	TraceID audit.TraceID
	Policy  Policy
}

// isAlso reports whether a request with these fingerprints, of the body as it came and as it was
// sent, is the same as this one. Members that the gateway fills in make no other request: a client
// that begins to send them itself repeats the completed request, and the other way round.
func (r *Request) isAlso(came, sent [16]byte) bool {
	none := [16]byte{}
	switch {
	case came == r.Fingerprint,
		sent != none && (sent == r.Fingerprint || sent == r.SentFingerprint),
		came != none && came == r.SentFingerprint:
		return true
	case r.OlderFingerprints == nil || came == none:
		return false
	}
	return slices.ContainsFunc(r.OlderFingerprints(), func(older [16]byte) bool { return older == came || older == sent })
}

// IsIn reports whether a record is about the same request to the same service.
func (r *Request) IsIn(record *audit.Record) bool {
	return !r.Policy.Environment.Apart(record.Environment) && r.isAlso(record.Fingerprint, record.SentFingerprint)
}

// Repeats reports whether it asks for the same as one whose outcome is unknown.
func (r *Request) Repeats(p *Pending) bool {
	return p.Key == r.Key && !r.Policy.Environment.Apart(p.Environment) && r.isAlso(p.Fingerprint, p.SentFingerprint)
}

// KeyOf returns the key of a request that changes something, and false for any other.
func KeyOf(op *wsfev1.Operation, body any) (Key, bool) {
	if op.Effect != wsfev1.EffectChanges {
		return Key{}, false
	}
	key := Key{OrderingKey: OrderingKey{Cuit: wsfev1.AuthOf(body).Cuit}}
	if lot := wsfev1.LotOf(body); lot != nil && lot.Len() > 0 {
		key.PtoVta, key.CbteTipo = lot.Header.PtoVta, lot.Header.CbteTipo
		key.Desde, key.Hasta = lot.Invoice(0).CbteDesde, lot.Invoice(0).CbteHasta
		for i := range lot.Len() {
			invoice := lot.Invoice(i)
			key.Desde, key.Hasta = min(key.Desde, invoice.CbteDesde), max(key.Hasta, invoice.CbteHasta)
		}
		return key, true
	}
	key.Operation = op.Name
	switch r := body.(type) {
	case *wsfev1.FECAEASolicitarRequest:
		key.Periodo, key.Orden = r.Periodo, r.Orden
	case *wsfev1.FECAEASinMovimientoRequest:
		key.PtoVta, key.CAEA = r.PtoVta, r.CAEA
	}
	return key, true
}

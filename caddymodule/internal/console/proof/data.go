package proof

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// pageData is the data for the page's script. Numbers are texts: numbers in JSON are not exact.
type pageData struct {
	Log string `json:"log"`
	// Key is the public key that the server names.
	Key    string      `json:"key"`
	Proofs []proofData `json:"proofs"`
	// Incomplete: the server could not read some of the parts, so nothing is proven.
	Incomplete bool `json:"incomplete"`
	// TooLarge: a proof is not here, because a page would be too long with it.
	TooLarge bool              `json:"too_large"`
	Words    map[string]string `json:"words"`
}

// proofData is one proof.
type proofData struct {
	Index string `json:"index"`
	// Text is the proof as `audit prove` writes it; without its content where Masked.
	Text   string `json:"text"`
	Masked bool   `json:"masked"`
	// Claims are the page's statements about the record.
	Claims map[string]string `json:"claims"`
}

// add adds a proof, unless its text is too long for a page.
func (d *pageData) add(f *found, masked bool) bool {
	parts := *f.parts
	masked = masked && parts.Form.Presence == audit.Present
	if masked {
		parts.Form.Presence, parts.Form.Content = audit.Purged, nil
	}
	if parts.Form.Len() > maxInPage {
		d.TooLarge = true
		return false
	}
	one := proofData{Index: strconv.FormatUint(f.index, 10), Text: string(parts.Marshal()), Masked: masked, Claims: map[string]string{}}
	if f.record != nil {
		one.Claims = claimsOf(f.record, parts.Form.Presence == audit.Present && f.record.Presence == audit.Present)
	}
	d.Proofs = append(d.Proofs, one)
	return true
}

// claimsOf returns the page's statements about a record, in the words of the record itself. The script
// takes the same out of the proven bytes. content: these have the content.
func claimsOf(r *audit.Record, content bool) map[string]string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	var vouchers []string
	for _, v := range r.Vouchers {
		vouchers = append(vouchers, strings.Join([]string{number(v.CbteDesde), number(v.CbteHasta), v.Code, v.Expires, v.Resultado}, " "))
	}
	claims := map[string]string{
		"kind": r.Kind.String(), "id": r.ID, "intent": strconv.FormatUint(r.Intent, 10), "time": number(r.Time.UnixMicro()), "node": r.Node,
		"client_address": r.ClientAddress, "client_identity": r.ClientIdentity, "operation": r.Operation, "cuit": number(int64(r.Cuit)),
		"pto_vta": number(int64(r.PtoVta)), "cbte_tipo": number(int64(r.CbteTipo)), "vouchers": strings.Join(vouchers, "; "),
		"resultado": r.Resultado, "outcome": string(r.Outcome), "certainty": string(r.Certainty), "upstream": r.Upstream, "environment": string(r.Environment),
		"request_length": number(r.RequestLength), "answer_length": number(r.AnswerLength), "codes": strings.Join(findingCodes(r), " "),
	}
	if content {
		claims["request_sha256"], claims["answer_sha256"] = printable.Digest(r.RequestDigest), printable.Digest(r.AnswerDigest)
		claims["answer_codes"] = strings.Join(answerCodes(r), " ")
	}
	return claims
}

// findingCodes returns the codes of the gateway's findings, each once.
func findingCodes(r *audit.Record) (codes []string) {
	for i := range r.Findings {
		if code := r.Findings[i].Code; !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}

// answerCodes returns the codes in the answer of the service or the gateway, each once.
func answerCodes(r *audit.Record) (codes []string) {
	for _, message := range audit.Messages(r.Answer) {
		if !slices.Contains(codes, message.Code) {
			codes = append(codes, message.Code)
		}
	}
	return codes
}

// scriptWords returns the words that the script shows: those that begin with "js.".
func (p *proofPage) scriptWords() map[string]string {
	all := map[string]string{}
	for key := range words {
		if name, ok := strings.CutPrefix(key, "js."); ok {
			all[name] = p.T(key)
		}
	}
	return all
}

package backend

import "github.com/fielato/fielato/wsfev1"

// ReadsAsMade reports whether whoever decodes the JSON of an answer gets the same answer, which shares nothing with
// another one, so that it need not be decoded in this process.
func ReadsAsMade(answer any) bool {
	a, ok := answer.(*wsfev1.FECAESolicitarAnswer)
	return ok && a != nil && a.FeCabResp != nil && a.FeDetResp != nil && a.Envelope == (wsfev1.Envelope{})
}

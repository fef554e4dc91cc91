package backend

import (
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// ErrorBody returns the error body that takes the place of an answer, or nil for an
// answer in the operation's own shape. The contract declares it for one operation
// (docs/sources.md#contract): a FECAEARegInformativo rejected before its header was examined, for
// its credentials (600) or for a fault of the service (500 to 502). Over HTTP it must be
// sent with the status 400.
func ErrorBody(answer any) *wsfev1.ErrorBody {
	a, ok := answer.(*wsfev1.FECAEARegInformativoAnswer)
	if !ok || a.FeCabResp != nil || a.Errors == nil {
		return nil
	}
	body := new(wsfev1.ErrorBody)
	for _, e := range a.Errors.Err {
		body.Errors.Err = append(body.Errors.Err, wsfev1.ErrorItem{Code: strconv.Itoa(int(e.Code)), Msg: e.Msg})
	}
	return body
}

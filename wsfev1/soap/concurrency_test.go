package soap_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestMessagesOfManyAtOnceDoNotMix reads what each of many sends, over and over: nothing of one
// message stays in what reads the next.
func TestMessagesOfManyAtOnceDoNotMix(t *testing.T) {
	op := operation(t, "FEParamGetCotizacion")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 200 {
				text := strings.Repeat(fmt.Sprintf("%d-%d&amp;", i, n), 1+n%40)
				body := request("FEParamGetCotizacion", fmt.Sprintf(`<Auth><Token>%s</Token><Sign>x<!-- -->%s</Sign><Cuit>%d</Cuit></Auth><MonId>%s</MonId>`, text, text, n, text))
				message, err := soap.Open(body, "")
				if err != nil {
					t.Error(err)
					return
				}
				if n%3 == 0 {
					continue // as one that is refused before it is read
				}
				got := message.Decode(op).Body.(*wsfev1.FEParamGetCotizacionRequest)
				clear(body)
				want := strings.ReplaceAll(text, "&amp;", "&")
				if got.MonId != want || got.Auth.Token.Reveal() != want || got.Auth.Sign.Reveal() != "x"+want || int(got.Auth.Cuit) != n {
					t.Errorf("%d, %d: %q", i, n, got.MonId)
				}
			}
		})
	}
	group.Wait()
}

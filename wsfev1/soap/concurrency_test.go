package soap_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"
	"weak"

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

// TestNothingHoldsAMessageThatWasRead: it has credentials in it. What reads messages is used again
// for the next.
func TestNothingHoldsAMessageThatWasRead(t *testing.T) {
	op := operation(t, "FEParamGetCotizacion")
	read := func() weak.Pointer[byte] {
		body := request("FEParamGetCotizacion", `<Auth a="1" b="2" xmlns:x="urn:x" x:c="3"><Token>t&amp;<!-- -->u</Token><Sign>s</Sign><Cuit>20111111112</Cuit></Auth><MonId>DOL</MonId>`)
		message, err := soap.Open(body, "")
		if err != nil {
			t.Fatal(err)
		}
		if found := message.Decode(op).Findings; len(found) > 0 {
			t.Fatal(brief(found))
		}
		return weak.Make(unsafe.SliceData(body))
	}
	for range 5 { // the race detector makes a pool forget at random
		held := read()
		runtime.GC() // a pool lets go with the second
		if held.Value() != nil {
			t.Error("the message is still in memory")
		}
	}
}

package backend

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

func TestAnAnswerIsWrittenAsPackageJSONWritesIt(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 5))
	for range testrun.Size(t, 5_000, 500_000) {
		answer := new(wsfev1.FECAESolicitarAnswer)
		fillIn(random, reflect.ValueOf(answer).Elem())
		want, wantErr := json.Marshal(answer)
		got, err := EncodeAnswer(answer)
		if (err != nil) != (wantErr != nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%s, %v\ninstead of\n%s, %v", got, err, want, wantErr)
		}
	}
}

func TestOtherAnswersAreWrittenToo(t *testing.T) {
	for _, answer := range []any{
		(*wsfev1.FECAESolicitarAnswer)(nil), &wsfev1.FECAESolicitarAnswer{}, &wsfev1.FEDummyAnswer{AppServer: "OK"},
		&wsfev1.FECAEARegInformativoAnswer{FeCabResp: &wsfev1.FeCabResp{Resultado: "A"}},
	} {
		want, _ := json.Marshal(answer)
		if got, err := EncodeAnswer(answer); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, %v instead of %s", got, err, want)
		}
	}
}

package needles_test

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/mask/needles"
)

func TestPartsOfCredentialsAreFound(t *testing.T) {
	document := `<sso version="2.0"><id unique_id="3716" src="CN=wsaahomo" gen_time="1763650000" exp_time="1763693260"/></sso>`
	token, sign := base64.StdEncoding.EncodeToString([]byte(document)), "rS9+kq/Zw3Lb0aXg7uYtPn5vCe1dJh8i"
	binary := base64.StdEncoding.EncodeToString([]byte("\xff\xfe\x00\x81\x92\xa3\xb4\xc5\xd6\xe7\xf8\x09\x1a\x2b\x3c\x4d"))
	h := needles.New([]string{token, sign, binary, "90210 4815-1623.42 and no more"}, math.MaxInt/2)
	for name, test := range map[string]struct {
		text string
		want bool
	}{
		"whole":                       {sign, true},
		"a part":                      {"no vale " + token[20:36] + ".", true},
		"too short a part":            {"no vale " + sign[3:14] + ".", false},
		"in another case":             {strings.ToUpper(sign[8:30]), true},
		"folded":                      {sign[:9] + "\r\n " + sign[9:20], true},
		"in the other alphabet":       {strings.NewReplacer("+", "-", "/", "_").Replace(sign[:16]), true},
		"the document":                {document[20:90], true},
		"a little of the document":    {`exp_time="1763693260"`, false},
		"bytes":                       {"x\xff\xfe\x00\x81\x92\xa3\xb4\xc5\xd6\xe7\xf8\x09\x1a\x2b", true},
		"digits of a credential":      {"90 21 04 81 51 62 3", true},
		"other digits":                {"1 80 1 1 121 0 100 0 0 21 1 1 5", false},
		"more digits than a document": {strings.Repeat("1 80 ", 40), false},
		"words":                       {"El comprobante no se encuentra registrado en las bases", false},
	} {
		for range 2 { // the second time from the index
			if got := h.In([]byte(test.text)); got != test.want {
				t.Errorf("%s: %q: %v", name, test.text, got)
			}
		}
	}
	if h.Empty() || !needles.New([]string{"corta"}, 100).Empty() {
		t.Error("a credential of five letters counts, or none does")
	}
}

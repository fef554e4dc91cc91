package gateway_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/client"
)

// TestABrokenLoginTellsNothing: an answer of the login service that cannot be used has a ticket too,
// which is in no log.
func TestABrokenLoginTellsNothing(t *testing.T) {
	expiration := regexp.MustCompile(`expirationTime(&gt;|>)[^<&]*`)
	for name, breaks := range map[string]func(body []byte, m caddytest.Markers) []byte{
		"cut": func(body []byte, m caddytest.Markers) []byte {
			return body[:bytes.Index(body, []byte(m.Token))+len(m.Token)/2]
		},
		"other dates": func(body []byte, m caddytest.Markers) []byte {
			return expiration.ReplaceAll(body, []byte("expirationTime${1}"+m.Token))
		},
		"not escaped": func(body []byte, m caddytest.Markers) []byte {
			return bytes.ReplaceAll(body, []byte("&lt;"), []byte("<"))
		},
		"other names": func(body []byte, m caddytest.Markers) []byte {
			return bytes.ReplaceAll(body, []byte("token"), []byte(m.Sign))
		},
		"no XML": func(_ []byte, m caddytest.Markers) []byte { return []byte("token=" + m.Token) },
		"no XML within": func(body []byte, m caddytest.Markers) []byte {
			return bytes.ReplaceAll(body, []byte("&lt;"), []byte("&amp;lt;"))
		},
		"a fault": func(_ []byte, m caddytest.Markers) []byte {
			return []byte(`<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><soapenv:Fault><faultcode>ns1:` + m.Token +
				`</faultcode><faultstring>` + m.Sign + `</faultstring></soapenv:Fault></soapenv:Body></soapenv:Envelope>`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := caddytest.OpenVault(t, "", believing)
			login := caddytest.NewLogin(t, keptCuit)
			login.Mark(v.Markers)
			login.Change(func(s *wsaatest.Service) {
				mark := s.Reply
				s.Reply = func(reply client.Reply) client.Reply {
					reply = mark(reply)
					reply.Body = breaks(reply.Body, v.Markers)
					return reply
				}
			})
			v.Load(strings.Replace(v.Options, "audit sqlite", login.Block("cuits "+keptCuit)+"\n\t\taudit sqlite", 1))
			caddytest.Eventually(t, "a login", func() bool { return len(login.Attempts()) > 0 })
			for _, face := range caddytest.Faces {
				absentFromAnswer(t, v, face.Name, postBare(v.Site, face, "FECompTotXRequest", "{"+caddytest.AuthText+"}"))
			}
			v.SearchOwn(t)
		})
	}
}

package wsaa_test

import (
	"encoding/xml"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
)

// FuzzReadEnvelope: whatever comes, it is read or refused, and the refusal can be sent.
func FuzzReadEnvelope(f *testing.F) {
	f.Add([]byte(wsaatest.Envelope("QUJD")))
	f.Add([]byte(`<?xml version="1.0" encoding="iso-8859-1"?><a>` + "\xf1"))
	f.Fuzz(func(t *testing.T, message []byte) {
		version, in0, fault := wsaa.ReadEnvelope(message)
		if fault == nil {
			if len(in0) > 2*len(message) {
				t.Errorf("%d bytes of %d", len(in0), len(message))
			}
			return
		}
		if err := xml.Unmarshal(version.Fault(fault), new(struct{})); err != nil {
			t.Errorf("%v: %s", err, version.Fault(fault))
		}
	})
}

// FuzzRequest: whatever a trusted client has signed, there is a ticket or a fault.
func FuzzRequest(f *testing.F) {
	issuer, err := wsaa.NewIssuer()
	if err != nil {
		f.Fatal(err)
	}
	server := wsaa.Server{
		Issuer: issuer, Clock: func() time.Time { return loginNow }, Services: []string{"wsfe"}, Life: time.Hour, Logins: new(wsaa.Logins),
	}
	client := wsaatest.NewClient(f, wsaatest.Spec{})
	f.Add(wsaatest.Request(loginNow))
	f.Add("<loginTicketRequest><header><source>a=\"b,c\\,d\"+e=f;g=</source></header></loginTicketRequest>")
	f.Fuzz(func(t *testing.T, request string) {
		login, fault := server.Login(wsaatest.Base64(client.Sign(t, []byte(request), wsaatest.Form{}), ""))
		if (fault == nil) != (login.Response != "") || fault != nil && wsaa.NewFault(fault.Code, nil) == nil {
			t.Errorf("%v, %v", login, fault)
		}
	})
}

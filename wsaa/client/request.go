package client

import (
	"encoding/base64"
	"fmt"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// requestTolerance is by how much a request is older than the clock, and for how long it is
	// valid. The authority has no tolerance of its own for a clock that is ahead, and refuses what
	// is older than a day (docs/sources.md#login).
	requestTolerance = 10 * time.Minute
	// requestTime is how a request has its times: with an offset, without which a machine in UTC
	// was refused.
	requestTime = "2006-01-02T15:04:05-07:00"
)

// message returns the signed request for a ticket of a service, made at a moment.
func (c *Client) message(service string, now time.Time) (Message, error) {
	if !wsaa.IsService(service) {
		return Message{}, fmt.Errorf("%q is not the id of a service, such as wsfe", service)
	}
	der, err := c.Credential.Sign(loginRequest(service, now))
	if err != nil {
		return Message{}, err
	}
	body := `<?xml version="1.0" encoding="UTF-8"?>` +
		`<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:wsaa="http://wsaa.view.sua.dvadac.desein.afip.gov">` +
		`<soapenv:Header/><soapenv:Body><wsaa:loginCms><wsaa:in0>` + base64.StdEncoding.EncodeToString(der) +
		`</wsaa:in0></wsaa:loginCms></soapenv:Body></soapenv:Envelope>`
	return Message{URL: c.URL, ContentType: "text/xml; charset=utf-8", Action: `""`, Body: []byte(body)}, nil
}

// loginRequest returns the document of a request (TRA). It names neither source nor destination,
// which may be left out: a wrong one is refused.
func loginRequest(service string, now time.Time) []byte {
	now = now.In(wsfev1.Argentina)
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>`+
		`<loginTicketRequest version="1.0"><header><uniqueId>%d</uniqueId><generationTime>%s</generationTime><expirationTime>%s</expirationTime></header><service>%s</service></loginTicketRequest>`,
		uint32(now.Unix()), now.Add(-requestTolerance).Format(requestTime), now.Add(requestTolerance).Format(requestTime), service)
}

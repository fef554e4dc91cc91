package wsaatest

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// Request returns the document of a request for a ticket of the service wsfe, made at a moment and
// valid for ten minutes before and after it.
func Request(now time.Time) string {
	const form = "2006-01-02T15:04:05-07:00"
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<loginTicketRequest version="1.0"><header><uniqueId>%d</uniqueId><generationTime>%s</generationTime><expirationTime>%s</expirationTime></header><service>wsfe</service></loginTicketRequest>`,
		uint32(now.Unix()), now.Add(-10*time.Minute).Format(form), now.Add(10*time.Minute).Format(form))
}

// Base64 returns base64 in lines of 64, with an end of line before, between and after them.
func Base64(message []byte, newline string) string {
	text := base64.StdEncoding.EncodeToString(message)
	var b strings.Builder
	b.WriteString(newline)
	for len(text) > 0 {
		n := min(64, len(text))
		b.WriteString(text[:n] + newline)
		text = text[n:]
	}
	return b.String()
}

// Envelope returns a message of SOAP 1.1 with an in0.
func Envelope(in0 string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"` +
		` xmlns:w="http://wsaa.view.sua.dvadac.desein.afip.gov"><soapenv:Header/><soapenv:Body><w:loginCms><w:in0>` + in0 +
		`</w:in0></w:loginCms></soapenv:Body></soapenv:Envelope>`
}

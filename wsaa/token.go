package wsaa

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

const (
	// ticketLead is by how much the authority antedates a Token.
	ticketLead = time.Minute
	// authorityCUIT is the CUIT of the authority.
	authorityCUIT = "33693450239"
)

// tokenContent is the content of a Token.
type tokenContent struct {
	// source is the name of the login service, and user the name of the computer that logged in.
	source, user string
	service      string
	id           uint32
	from, until  time.Time
	cuits        []wsfev1.CUIT
}

// document returns the document of which a Token is the base64.
func (t tokenContent) document() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<sso version="2.0">
    <id src="%s" dst="CN=%s, O=AFIP, C=AR" unique_id="%d" gen_time="%d" exp_time="%d"/>
    <operation type="login" value="granted">
        <login entity="`+authorityCUIT+`" service="%[2]s" uid="%[6]s" authmethod="cms" regmethod="22">
            <relations>
`, t.source, t.service, t.id, t.from.Add(-ticketLead).Unix(), t.until.Unix(), escaped(t.user))
	for _, cuit := range t.cuits {
		fmt.Fprintf(&b, "                <relation key=\"%s\" reltype=\"4\"/>\n", cuit)
	}
	b.WriteString("            </relations>\n        </login>\n    </operation>\n</sso>\n")
	return []byte(b.String())
}

// escaped returns a text as it can stand in a document, also in an attribute.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}

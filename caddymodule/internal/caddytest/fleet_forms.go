package caddytest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// exchanged is a request of a client that was answered: the digests of both, and the address of
// the record.
type exchanged struct {
	record  string
	face    Face
	request digest
	// answers: as it came, and without the address of the record, which the record of a fault does
	// not have (docs/format.md).
	answers [2]digest
}

// post sends a request, given in JSON, in any form. It returns the status that the same request in JSON
// would get, or 0 if no whole answer came that can be read.
func (c *onceClient) post(ctx context.Context, base, operation, body string, answer any) int {
	face := Faces[0]
	if !c.itself {
		face = c.Forms[c.random.IntN(len(c.Forms))]
	}
	r, text := c.request(ctx, face, base, operation, body)
	resp, err := c.http.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0
	}
	if !c.itself {
		record := resp.Header.Get("Wsfev1-Record")
		recorded := bytes.Replace(read, []byte(`<Record xmlns="https://github.com/fielato/fielato/fault">`+record+`</Record>`), nil, 1)
		c.keep(exchanged{record, face, sha256.Sum256([]byte(text)), [2]digest{sha256.Sum256(read), sha256.Sum256(recorded)}}, read)
	}
	if face.IsSOAP {
		return readMessage(resp, operation, read, answer)
	}
	if resp.StatusCode == http.StatusOK && json.Unmarshal(read, answer) != nil {
		return 0
	}
	return resp.StatusCode
}

// keep keeps what a client has got. None may get a ticket.
func (f *Fleet) keep(e exchanged, answer []byte) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.got = append(f.got, e)
	for secret := range f.carried.secrets {
		if strings.Contains(string(answer), secret) {
			f.t.Errorf("record %s: a client got Token or Sign", e.record)
		}
	}
}

// request returns a request and its body.
func (c *onceClient) request(ctx context.Context, face Face, base, operation, body string) (*http.Request, string) {
	path, text := "/api/wsfev1/"+operation, body
	if face.IsSOAP {
		path, text = "/wsfev1/service.asmx", c.message(face.Version, operation, body)
	}
	if c.Ticketless && !c.itself {
		text = noTicket.ReplaceAllString(text, "")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, strings.NewReader(text))
	if err != nil {
		panic(err) // the address is the test's own
	}
	r.GetBody = nil // no second try behind the client's back
	r.Header.Set("Content-Type", "application/json")
	if face.IsSOAP {
		r.Header.Set("Content-Type", face.Version.MediaType())
		r.Header.Set("SOAPAction", `"`+soap.ActionPrefix+operation+`"`)
	}
	return r, text
}

// noTicket finds the Token and the Sign of a request.
var noTicket = regexp.MustCompile(`"(Token|Sign)":"[^"]*",|<Token>[^<]*</Token>|<Sign>[^<]*</Sign>`)

// message writes a request in SOAP.
func (f *Fleet) message(version soap.Version, operation, body string) string {
	request, findings := validate.Decode(wsfev1.OperationByName(operation), []byte(body), validate.ARCA)
	message, err := soap.AppendRequest(nil, version, request.Operation, request.Body)
	if err != nil || len(findings) > 0 {
		f.t.Errorf("%s: %v %+v", body, err, findings)
	}
	return string(message)
}

// readMessage is post for an answer in SOAP.
func readMessage(resp *http.Response, operation string, body []byte, answer any) int {
	_, parameters, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	parsed, err := soap.Parse(wsfev1.OperationByName(operation), body, parameters["charset"])
	switch {
	case err != nil, len(parsed.Findings) > 0:
		return 0
	case parsed.Fault == nil:
		reflect.ValueOf(answer).Elem().Set(reflect.ValueOf(parsed.Body).Elem())
	case slices.Contains(parsed.Fault.Detail, soap.Detail{Name: "Error", Text: "once.conflict"}):
		return http.StatusConflict
	}
	return resp.StatusCode
}

// address is the address of a record, as clients are told it.
func address(log string, index uint64) string { return fmt.Sprintf("%s/%d", log, index) }

package doctor

import (
	"bytes"
	"cmp"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// soapService is what matters here of a transport wsfev1_soap.
type soapService struct {
	Protocol string `json:"protocol"`
	Version  string `json:"soap"`
	Path     string `json:"path"`
	Legacy   bool   `json:"legacy_tls"`
}

// service returns nil for another transport.
func (s soapService) service() *soapService {
	if s.Protocol != "wsfev1_soap" {
		return nil
	}
	s.Path = cmp.Or(s.Path, binding.SOAPPath)
	return &s
}

// userAgent is who asks.
const userAgent = "Fielato"

// askHealth makes a request one for FEDummy.
func (s *soapService) askHealth(r *http.Request) error {
	op, version := wsfev1.OperationByName("FEDummy"), soap.V11
	if s.Version == soap.V12.String() {
		version = soap.V12
	}
	text, err := soap.AppendRequest(nil, version, op, op.NewRequest())
	if err != nil {
		return err
	}
	r.URL.Path, r.Body, r.ContentLength, r.GetBody = s.Path, io.NopCloser(bytes.NewReader(text)), int64(len(text)), nil
	action := `"` + soap.ActionPrefix + op.Name + `"`
	if version == soap.V12 {
		r.Header.Set("Content-Type", version.MediaType()+"; action="+action)
		return nil
	}
	r.Header.Set("Content-Type", version.MediaType())
	r.Header.Set("SOAPAction", action)
	return nil
}

// readHealth reads an answer to FEDummy. It is empty if the body is none.
func (u upstream) readHealth(body []byte) (dummy wsfev1.FEDummyAnswer) {
	if u.soap == nil {
		if json.Unmarshal(body, &dummy) != nil {
			return wsfev1.FEDummyAnswer{}
		}
		return dummy
	}
	answer, err := soap.Parse(wsfev1.OperationByName("FEDummy"), body, "")
	if err != nil || answer.Fault != nil || len(answer.Findings) > 0 {
		return wsfev1.FEDummyAnswer{}
	}
	if read, ok := answer.Body.(*wsfev1.FEDummyAnswer); ok {
		return *read
	}
	return wsfev1.FEDummyAnswer{}
}

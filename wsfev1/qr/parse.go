package qr

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

// ErrAddress is wrapped by the errors of Parse.
var ErrAddress = errors.New("this is not the address of an invoice's QR code")

// Invoice is the invoice that a QR code names.
type Invoice struct {
	Cuit             wsfev1.CUIT
	PtoVta, CbteTipo int32
	Number           int64
}

// maxAddress bounds the length of an address, in bytes. Those that Address composes have some 450.
const maxAddress = 1024

// hosts are the hosts of Page, now and before the authority had its present name.
var hosts = map[string]bool{"www.arca.gob.ar": true, "arca.gob.ar": true, "www.afip.gob.ar": true, "afip.gob.ar": true}

// Parse reads the address of a QR code, as a camera or a person gives it. Anybody may have written it: it proves
// nothing, and names an invoice that may not exist. Errors wrap ErrAddress.
func Parse(address string) (i Invoice, err error) {
	if len(address) > maxAddress {
		return i, fmt.Errorf("%w: it is too long", ErrAddress)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || !hosts[strings.ToLower(u.Host)] || strings.Trim(u.Path, "/") != "fe/qr" || u.User != nil {
		return i, fmt.Errorf("%w: it leads elsewhere", ErrAddress)
	}
	given, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(given["p"]) != 1 {
		return i, fmt.Errorf("%w: it has no p", ErrAddress)
	}
	content, err := decode(given.Get("p"))
	if err != nil {
		return i, fmt.Errorf("%w: p is no base64", ErrAddress)
	}
	var read struct {
		Cuit    wsfev1.CUIT `json:"cuit"`
		PtoVta  int32       `json:"ptoVta"`
		TipoCmp int32       `json:"tipoCmp"`
		NroCmp  int64       `json:"nroCmp"`
	}
	if err := json.Unmarshal(content, &read); err != nil {
		return i, fmt.Errorf("%w: p is not the JSON of an invoice", ErrAddress)
	}
	if !read.Cuit.Possible() || read.PtoVta < 1 || read.PtoVta > 99999 || read.TipoCmp < 1 || read.TipoCmp > 999 || read.NroCmp < 1 || read.NroCmp > 99999999 {
		return i, fmt.Errorf("%w: p names no invoice", ErrAddress)
	}
	return Invoice{read.Cuit, read.PtoVta, read.TipoCmp, read.NroCmp}, nil
}

// decode reads base64 in either alphabet, with or without its end. A + in an address was read as a space.
func decode(text string) ([]byte, error) {
	text = strings.NewReplacer(" ", "+", "-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	return base64.RawStdEncoding.Strict().DecodeString(text)
}

package binding

import (
	"bytes"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"

	"github.com/fielato/fielato/caddymodule/internal/origin"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap/wsdl"
)

// ServeSOAPDocument answers a GET for the WSDL or for the page of the service, and reports whether
// it was one. Such a request is not an exchange and has no record. public is the address by which
// clients reach the site, empty for the address of the request.
func ServeSOAPDocument(w http.ResponseWriter, r *http.Request, public string, contract validate.Contract) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !IsSOAP(r.URL) || !isPlainHost(r.Host) {
		return false
	}
	switch soapQueryOf(r.URL) {
	case soapWSDL:
		// A client goes where the WSDL says, not where it found it.
		address := soapAddress(r, public)
		if public == "" {
			w.Header().Add("Vary", origin.Vary)
		}
		documents.of(wsdl.MediaType+" "+address, func() []byte { return wsdl.Describe(address) }).serve(w, r, wsdl.MediaType)
	case soapNoQuery, soapPage:
		const media = "text/html; charset=utf-8"
		documents.of(media+" "+string(contract)+"?"+r.URL.RawQuery, func() []byte { return soapPageOf(r, contract) }).serve(w, r, media)
	default:
		return false
	}
	return true
}

// soapAddress returns the address of the service as its clients reach it.
func soapAddress(r *http.Request, public string) string {
	base, _ := soapBase(r.URL)
	if public != "" {
		return public + base + SOAPPath
	}
	scheme, host := origin.Of(r)
	u := url.URL{Scheme: scheme, Host: host, Path: base + SOAPPath}
	return u.String()
}

// CheckPublicURL refuses any text but the scheme and the name of a site.
func CheckPublicURL(public string) error {
	if public == "" {
		return nil
	}
	u, err := url.Parse(public)
	host := ""
	if err == nil {
		host, _, _ = net.SplitHostPort(u.Host)
		if host == "" {
			host = u.Host
		}
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || host == "" || public != u.Scheme+"://"+u.Host || !isPlainHost(u.Host) {
		return fmt.Errorf("public_url %q: give the scheme and the name of the site, such as https://facturas.example.com", public)
	}
	return nil
}

var soapPageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="es"><head><meta charset="utf-8"><title>Service</title></head>
<body><h1>Service</h1>
<p>Servicio de facturación electrónica (WSFEv1), SOAP 1.1 y 1.2, a través de Fielato. La descripción formal es el <a href="?WSDL">WSDL</a>.</p>
<ul>
{{range .}}<li><a href="?op={{.}}">{{.}}</a></li>
{{end}}</ul></body></html>
`))

// soapPageOf returns the page of the service: its operations, or one of them.
func soapPageOf(r *http.Request, contract validate.Contract) []byte {
	var names []string
	for _, op := range wsfev1.Operations {
		if contract.Operation(op.Name) != nil && (r.URL.RawQuery == "" || r.URL.Query().Get("op") == op.Name) {
			names = append(names, op.Name)
		}
	}
	var page bytes.Buffer
	_ = soapPageTemplate.Execute(&page, names) // a buffer takes everything
	return page.Bytes()
}

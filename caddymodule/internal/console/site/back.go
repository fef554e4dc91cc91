package site

import (
	"net/http"
	"net/url"
	"strings"
)

// MaxWayBack bounds the parameters of a search in the address of an exchange that it leads to, in bytes.
const MaxWayBack = 2 << 10

// Window is the parameter of an exchange's own: where its lists begin.
const Window = "from"

// AnchorOf returns the name of the row in a list that leads to an address: it ends with LOG/INDEX, or with what names an
// invoice (InvoiceAddress).
func AnchorOf(address string) string {
	parts, own := strings.Split(address, "/"), 2
	if n := len(parts); n > 4 && parts[n-5] == "comprobante" {
		own = 4
	}
	return "row-" + strings.Join(parts[max(len(parts)-own, 0):], "/")
}

// Back returns the address of the search whose parameters the address of this page has, or of the newest exchanges, and
// the text in its box. It never leads out of the console, whatever the address says.
func (f *Frame) Back(r *http.Request) (address, text string) {
	values := r.URL.Query()
	values.Del(Window)
	if len(values) == 0 || len(r.URL.RawQuery) > MaxWayBack {
		return f.Base + "/search", ""
	}
	row := url.URL{Fragment: AnchorOf(r.URL.Path)}
	return f.Base + "/search?" + values.Encode() + row.String(), values.Get("q")
}

package gateway

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"

	"github.com/fielato/fielato/caddymodule/internal/binding"
)

// admit is step 1: the operation, and its body.
func (x *exchange) admit() bool {
	var f *binding.Refusal
	admission := binding.Admission{Contract: x.gateway.contract, MaxBody: x.gateway.MaxBody, Reservation: &x.memory.body}
	if x.gateway.isCall(x.r) {
		f = x.admitCall(admission)
	} else {
		x.in.operation, x.in.body, f = admission.Admit(x.w, x.r)
	}
	if f == nil {
		f = x.reserveBody()
	}
	if x.in.body != nil {
		x.in.digest = sha256.Sum256(x.in.body)
	}
	if f != nil {
		if f.Detail == nil {
			f.Detail = fmt.Errorf("%s %s", x.recordedMethod(), x.recordedPath())
		}
		return x.refuse(f)
	}
	return true
}

// maxPath is the maximum length in bytes of a recorded path of a request that was not
// admitted.
const maxPath = 128

// recordedPath returns the path of the request, or its fingerprint if it may contain a Token or
// a Sign: these contain slashes, so their segments can be short.
func (x *exchange) recordedPath() string {
	path := x.r.URL.EscapedPath()
	if len(path) <= maxPath && x.trail.Redactor.Pointer(path) == path {
		return path
	}
	return x.trail.Redactor.Fingerprint([]byte(path))
}

// methods are those that are recorded as they are.
var methods = []string{
	http.MethodConnect, http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPatch,
	http.MethodPost, http.MethodPut, http.MethodTrace,
}

// recordedMethod returns the method of the request, or its fingerprint if it is none of HTTP's own:
// it may be any word, a part of a Token too.
func (x *exchange) recordedMethod() string {
	if slices.Contains(methods, x.r.Method) {
		return x.r.Method
	}
	return x.trail.Redactor.Fingerprint([]byte(x.r.Method))
}

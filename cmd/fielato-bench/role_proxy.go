package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/fielato/fielato/wsfev1/openapi"
)

// serve answers on an address until the process ends. It returns once requests are
// taken.
func serve(address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // ends with the process
	return nil
}

// newProxy forwards to an address, with the standard library alone.
func newProxy(upstream string) http.Handler {
	target := &url.URL{Scheme: "http", Host: upstream}
	return &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{MaxIdleConns: idleConnections, MaxIdleConnsPerHost: idleConnections},
	}
}

// checkByDocument lets pass what is right by the OpenAPI document, as the users of
// kin-openapi do it.
func checkByDocument(next http.Handler) (http.Handler, error) {
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		return nil, fmt.Errorf("reading the OpenAPI document: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		item := document.Paths.Find(r.URL.Path)
		if item == nil || item.Post == nil || r.Method != http.MethodPost {
			http.Error(w, "no such operation", http.StatusNotFound)
			return
		}
		err := openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
			Request: r,
			Route:   &routers.Route{Spec: document, Path: r.URL.Path, PathItem: item, Method: r.Method, Operation: item.Post},
			Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

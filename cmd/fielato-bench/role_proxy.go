package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
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
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{MaxIdleConns: idleConnections, MaxIdleConnsPerHost: idleConnections},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without it one large answer in a hundred breaks off (golang/go#40747).
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}

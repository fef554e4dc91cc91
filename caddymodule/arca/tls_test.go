package arca_test

import (
	"context"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/fielato/fielato/caddymodule/arca"
)

// TestAHandshakeHasALimit, so that one which hangs is known not to have sent anything long before the deadline.
func TestAHandshakeHasALimit(t *testing.T) {
	for _, test := range []struct{ set, want time.Duration }{{0, 15 * time.Second}, {time.Minute, time.Minute}} {
		transport := new(arca.Transport)
		if err := transport.EnableTLS(&reverseproxy.TLSConfig{HandshakeTimeout: caddy.Duration(test.set)}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
		defer cancel()
		if err := transport.Provision(ctx); err != nil {
			t.Fatal(err)
		}
		if got := transport.Transport.TLSHandshakeTimeout; got != test.want {
			t.Errorf("with %v it is %v, want %v", test.set, got, test.want)
		}
	}
}

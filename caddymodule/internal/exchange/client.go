package exchange

import (
	"net/http"

	"github.com/fielato/fielato/caddymodule/internal/identity"
	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/record"
)

// clientOf returns who has sent a request, as the handlers before the gateway and the handshake have proven it.
func clientOf(r *http.Request) record.Client {
	id := identity.Of(r)
	return record.Client{Address: local.Address(r), Identity: identity.Name(&id)}
}

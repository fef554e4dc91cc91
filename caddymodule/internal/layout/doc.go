// Package layout looks at the routes around the gateways of a configuration, and refuses those
// with which the first invoice would fail: nothing behind a gateway, two services behind it, the
// gateway itself as its service, an answer in its place, or a service that refuses the tickets of the gateway's
// login service. It also tells which service stands behind a gateway.
//
// It reads the routes while Caddy provisions them, so `fielato validate` shows the errors too. It refuses
// only certain mistakes. A matcher, a handler or a named route that it cannot judge ends the check without
// an error.
package layout

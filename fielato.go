// Package fielato is a checkpoint at the network edge for electronic invoices: a
// Caddy module that stands in front of an invoicing service (Argentina's WSFEv1
// as JSON over HTTP), checks every request, keeps evidence of every exchange and
// forwards valid requests to the real service or to a built-in one.
//
// Importing it plugs the modules into Caddy:
//
//	xcaddy build --with github.com/fielato/fielato
//
// The modules themselves live in caddymodule; the language of the service in
// wsfev1, its inspection in validate, the evidence in audit, the built-in service
// in backend. None of those knows Caddy.
//
// It is a package of its own because xcaddy imports a module by its root.
package fielato

import _ "github.com/fielato/fielato/caddymodule" // registers the modules

// Package arca is the way to a service that speaks SOAP, as the authority's does. It is a transport
// of Caddy's reverse_proxy, so that balancing, health checks and tracing stay Caddy's:
//
//	reverse_proxy https://wswhomo.afip.gov.ar {
//		transport wsfev1_soap
//	}
//
// The directive wsfev1_arca is short for that, as php_fastcgi is for the transport fastcgi.
//
// The gateway in front forwards every exchange as JSON. The transport takes the typed request from
// it, writes it in SOAP or sends the client's own message as it came, and returns the answer in
// JSON. What it has sent and got goes to the gateway as a binding.UpstreamLeg, which also says what
// the answer means for the request.
//
// A transport keeps connections, and nothing else.
package arca

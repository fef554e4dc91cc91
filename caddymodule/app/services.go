package app

import (
	"bytes"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/layout"
)

// OneService checks that the gateways of the configuration that share a trail stand in front of one
// service. key is the key of the trail's store, address names it for people, and audit is the gateway's
// option in JSON. A repeated request is answered from the trail: with the answer of another service,
// it would get an authorisation that does not exist.
func (a *App) OneService(key, address string, audit []byte) error {
	for _, service := range a.services {
		if !bytes.Equal(service.Audit, audit) || slices.ContainsFunc(a.served[key], func(known layout.Service) bool { return known.Address == service.Address }) {
			continue
		}
		for _, known := range a.served[key] {
			switch differ, err := layout.OnOneTrail(known, service); {
			case err != nil:
				return fmt.Errorf("audit %s is the trail of two services, %w: give each its own trail with the option audit", address, err)
			case differ:
				a.logger.Warn("one trail serves two addresses: a repeated request is answered from the trail, whichever of them has answered. "+
					"If they are not the same service, give each its own trail with the option audit",
					zap.String("audit", address), zap.String("one", known.Address), zap.String("other", service.Address))
			}
		}
		if a.served == nil {
			a.served = map[string][]layout.Service{}
		}
		a.served[key] = append(a.served[key], service)
	}
	return nil
}

// MayBeBuiltIn reports whether the built-in service may stand behind a gateway with this option audit, in JSON. With one
// elsewhere in the configuration it may, unless the routes show that another service gets the gateway's requests. All
// handlers must be provisioned.
func (a *App) MayBeBuiltIn(audit []byte) bool {
	another := false
	for _, service := range a.services {
		if !bytes.Equal(service.Audit, audit) {
			continue
		}
		if service.IsBuiltIn() {
			return true
		}
		another = another || !service.Sometimes
	}
	return a.builtIn && !another
}

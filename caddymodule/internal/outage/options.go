package outage

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// Options configure when the service is taken not to answer. Operations that change something
// are then refused with 503, except one request after each rest, which first checks whether
// the service answers again. Queries and tables pass. The beginning and the end of an outage
// are records.
type Options struct {
	// Off turns the breaker off: nothing is refused, and no outage begins. An outage that has
	// begun before lasts until the service answers, so that its record has its duration.
	Off bool `json:"off,omitempty"`
	// Failures is how many exchanges in a row without an answer from the service open the
	// breaker. FEDummy and the tables do not count. Default: 5.
	Failures int `json:"failures,omitempty"`
	// Rest is how long operations that change something are then held back. Default: 10
	// seconds.
	Rest caddy.Duration `json:"rest,omitempty"`
	// Service is a name for the service behind the gateway, one word. Handlers that share a
	// store share the breakers of the same name. If they forward to different services, give
	// each a name, even if its breaker is off. Default: no name.
	Service string `json:"service,omitempty"`
}

const (
	defaultFailures = 5
	defaultRest     = 10 * time.Second
	// maxServiceName bounds the name, which is in each record of an outage, in bytes.
	maxServiceName = 64
)

// Threshold returns Failures or the default.
func (b *Options) Threshold() int { return cmp.Or(b.Failures, defaultFailures) }

// Cooldown returns Rest or the default.
func (b *Options) Cooldown() time.Duration {
	return cmp.Or(time.Duration(b.Rest), defaultRest)
}

// Validate checks the configuration.
func (b *Options) Validate() error {
	switch {
	case b.Failures < 0:
		return fmt.Errorf("breaker %d: give the number of failures after which it opens, such as 5", b.Failures)
	case b.Rest < 0:
		return errors.New("breaker rest is negative: give a duration such as 10s")
	case len(b.Service) > maxServiceName:
		return fmt.Errorf("breaker service: the name has more than %d bytes", maxServiceName)
	}
	return nil
}

// Usage is the error for a malformed option breaker.
const Usage = "breaker: write breaker <failures> [rest <duration>] [service <name>], such as breaker 5 rest 10s, or breaker off [service <name>]"

package outage

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// Options say when the service is taken not to answer. Then what changes something is
// refused with 503, but for one request after each rest, which first looks whether the
// service answers again. Queries and tables pass. An outage, and its end, is a record.
type Options struct {
	// Off says that nothing is refused, and that no outage begins. One that lasts when it
	// is set goes on until the service answers, as its record says how long it lasted.
	Off bool `json:"off,omitempty"`
	// Failures is how many exchanges in a row the service must leave without an answer
	// of its own. FEDummy and the tables do not count. Default: 5.
	Failures int `json:"failures,omitempty"`
	// Rest is how long nothing that changes something is sent then. Default: 10 seconds.
	Rest caddy.Duration `json:"rest,omitempty"`
	// Service names what stands behind, one word. Handlers that share a store share the
	// breakers of the same name: give each a name where they forward to different
	// services, also those whose breaker is off. Default: no name.
	Service string `json:"service,omitempty"`
}

const (
	defaultFailures = 5
	defaultRest     = 10 * time.Second
	// maxServiceName bounds the name, which each outage's record has, in bytes.
	maxServiceName = 64
)

// Threshold is Failures or the default.
func (b *Options) Threshold() int { return cmp.Or(b.Failures, defaultFailures) }

// Cooldown is Rest or the default.
func (b *Options) Cooldown() time.Duration {
	return cmp.Or(time.Duration(b.Rest), defaultRest)
}

// Validate checks what the configuration says.
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

// Usage is the error for an option that is written otherwise.
const Usage = "breaker: write breaker <failures> [rest <duration>] [service <name>], such as breaker 5 rest 10s, or breaker off [service <name>]"

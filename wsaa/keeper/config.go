package keeper

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	rand2 "math/rand/v2"
	"slices"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

var (
	// ErrNoCUITs: a Keeper must name the CUITs for which it gives its ticket away. Otherwise anybody
	// who reaches the gateway could issue for all that the certificate represents.
	ErrNoCUITs = errors.New("the keeper of a ticket needs the CUITs for which it may be used: name them with cuits")
	// ErrNotSealed: a ticket would be at rest in the clear.
	ErrNotSealed = errors.New("tickets in a store are sealed: give an encryption key, or keep them in memory")
)

// Login asks the login service for a ticket of a service: (*client.Client).Login. It ends when the
// context does.
type Login func(ctx context.Context, service string, skew time.Duration) (client.Result, error)

// Config is what a Keeper is made of.
type Config struct {
	// URL is the address of the login service.
	URL string
	// Credential is what Login signs with.
	Credential *credential.Credential
	Login      Login
	// Service is the id of the service, by default wsfe.
	Service string
	// CUITs are those for which the ticket may be used, one or more.
	CUITs []wsfev1.CUIT
	// Store is shared by the nodes with this certificate. Seal seals its entries; nil only with a
	// *Memory.
	Store Store
	Seal  *Seal
	// Room bounds how many Keepers that share it log in at once, by its capacity: each puts a value in for as long
	// as its login takes. nil for no bound.
	Room chan struct{}
	// Window is for how long a computer that got a ticket gets no other: by default ten minutes, and
	// two at the authority's service for production.
	Window time.Duration
	// Changed: a person has just changed the configuration of a process that runs, so that a pause which
	// waits for a person is over. Otherwise the process may be one that starts again and again.
	Changed bool
	// Clock returns the time, by default time.Now. Pauses run by package time.
	Clock func() time.Time
	// Random returns numbers from 0 to below 1, by which pauses differ, by default random ones. It
	// is called by one goroutine.
	Random func() float64
	// Observe is told what happens, in the goroutine of the Keeper: it must return soon, and must not
	// call Close. nil to ignore it.
	Observe func(Event)
}

// New returns a Keeper that is yet to be started. It refuses a Config without CUITs, one whose
// tickets would be at rest in the clear, and a certificate that the login service would refuse: the
// errors are ErrNoCUITs, ErrNotSealed and the errors of credential.Check.
func New(config Config) (*Keeper, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	config.complete()
	if err := config.Credential.Check(credential.EnvironmentOf(config.URL), config.Clock()); err != nil {
		return nil, err
	}
	k := &Keeper{
		config: config, name: config.entryName(), holder: rand.Text(), began: config.Clock(),
		changed: make(chan struct{}), wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	k.hard, k.cut = context.WithCancel(context.Background())
	return k, nil
}

func (c *Config) check() error {
	switch {
	case c.URL == "" || c.Credential == nil || c.Login == nil || c.Store == nil:
		return errors.New("the keeper of a ticket needs a login service, a certificate with its key, and a store")
	case len(c.CUITs) == 0:
		return ErrNoCUITs
	case c.Service != "" && !wsaa.IsService(c.Service):
		return fmt.Errorf("%q is not the id of a service, such as wsfe", c.Service)
	case c.Window < 0:
		return fmt.Errorf("a window of %v", c.Window)
	}
	if _, memory := c.Store.(*Memory); c.Seal == nil && !memory {
		return ErrNotSealed
	}
	for _, cuit := range c.CUITs {
		if !cuit.Valid() {
			return fmt.Errorf("%s is not a CUIT: eleven digits, the last of which checks the others", cuit)
		}
	}
	return nil
}

// complete puts the defaults where nothing is.
func (c *Config) complete() {
	c.CUITs = slices.Clone(c.CUITs)
	c.Service = cmp.Or(c.Service, wsaa.TicketService)
	if c.Window == 0 {
		c.Window = windowOf(credential.EnvironmentOf(c.URL))
	}
	c.Window += windowSlack
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Random == nil {
		c.Random = rand2.Float64
	}
	if c.Observe == nil {
		c.Observe = func(Event) {}
	}
}

// windowSlack is by how much a window is taken for longer: the authority's clock is known to a second,
// and a login that comes a moment too early costs another window.
const windowSlack = 5 * time.Second

// windowOf returns the window of a login service (docs/sources.md#login).
func windowOf(environment credential.Environment) time.Duration {
	if environment == credential.Production {
		return 2 * time.Minute
	}
	return 10 * time.Minute
}

// entryName names the ticket in the store: by the login service, the service and the name of the
// computer. A certificate that is renewed under the same name goes on with the ticket of the one
// before, as the login service gives it no other within the window.
func (c *Config) entryName() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%s", c.URL, c.Service, c.Credential.Certificate().RawSubject)
	return "wsaa-" + hex.EncodeToString(h.Sum(nil)[:16])
}

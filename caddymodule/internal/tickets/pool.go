package tickets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/internal/sshagent"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

var (
	// keepers has the keepers of all configurations: a reload that keeps a block keeps its keeper.
	keepers = caddy.NewUsagePool()
	// stores has the open stores of tickets: all keepers of a trail share one, with its connections.
	stores = caddy.NewUsagePool()
	// inMemory has the tickets of store memory, for as long as the process lives.
	inMemory keeper.Memory
	// live are the keepers that the metrics cover, and lent the pool's.
	live metrics.Live[*keeper.Keeper]
	lent metrics.Live[*pooled]
	// rooms has the room for logins at each login service, by its address: a chan struct{}.
	rooms sync.Map
)

// loginsAtOnce is how many certificates log in at a login service at a time. A gateway may have thousands, all of
// which need a ticket when it starts for the first time.
const loginsAtOnce = 8

// roomAt returns the room for logins at a login service.
func roomAt(url string) chan struct{} {
	room, _ := rooms.LoadOrStore(url, make(chan struct{}, loginsAtOnce))
	return room.(chan struct{})
}

// openWithin is how long opening the store of tickets may take.
const openWithin = 30 * time.Second

// pooled is a keeper in the pool, with its store.
type pooled struct {
	keeper *keeper.Keeper
	// options are those that it was made of, and trailKey the key of the trail's store.
	options  *Options
	trailKey string
	// storeKey is the key of its store in stores, empty for the memory.
	storeKey string
	// granted and failed count the logins.
	granted, failed atomic.Uint64
	// closed is closed when the keeper is.
	closed chan struct{}
}

// tls returns how the login service is asked.
func (o *Options) tls() TLS { return TLS{o.tlsCA, o.LegacyTLS, TLSOptions} }

// poolKey identifies the keeper of a block: one with the same login service and authorities,
// certificate, CUITs and store is the same. So is the ssh-agent, if one has the key.
func (o *Options) poolKey(store string) string {
	agent := ""
	if sshagent.IsOption(o.Key) {
		agent = o.Key
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %t %q %d", o.at.URL, o.credential.Fingerprint(), agent, o.authorities, o.LegacyTLS, store, o.sortedCuits()))
	return hex.EncodeToString(digest[:])
}

func (o *Options) sortedCuits() []wsfev1.CUIT { return slices.Sorted(slices.Values(o.cuits)) }

// inUse returns the options of the keeper in the pool that is for the same login service, CUITs and store,
// nil if there is none.
func inUse(o *Options, store string) *Options {
	for _, p := range lent.All() {
		if p.trailKey == store && p.options.at == o.at && slices.Equal(p.options.sortedCuits(), o.sortedCuits()) {
			return p.options
		}
	}
	return nil
}

// open opens the store and starts the keeper. changed: the configuration replaces another one, which
// had no such keeper.
func open(o *Options, trail Trail, changed bool) (*pooled, error) {
	post, err := NewPost(o.tls())
	if err != nil {
		return nil, fmt.Errorf("wsaa %s: %w", o.Login, err)
	}
	p := &pooled{options: o, trailKey: trail.Key, closed: make(chan struct{})}
	config := keeper.Config{
		URL: o.at.URL, Credential: o.credential, CUITs: o.cuits, Store: &inMemory, Observe: p.observer(), Changed: changed,
		Room:  roomAt(o.at.URL),
		Login: (&client.Client{URL: o.at.URL, Credential: o.credential, Post: post, Clock: time.Now}).Login,
	}
	if trail.Opener != nil {
		if err := p.openStore(trail, &config); err != nil {
			return nil, fmt.Errorf("wsaa %s: %w", o.Login, err)
		}
	}
	if p.keeper, err = keeper.New(config); err != nil {
		return nil, errors.Join(fmt.Errorf("wsaa %s: %w", o.Login, err), p.closeStore())
	}
	live.Add(p.keeper)
	lent.Add(p)
	p.keeper.Start()
	return p, nil
}

// openStore opens the store, and sets what seals its tickets.
func (p *pooled) openStore(trail Trail, config *keeper.Config) error {
	secret, err := trail.Secret()
	if err != nil {
		return fmt.Errorf("the key that seals tickets: %w", err)
	}
	if config.Seal, err = keeper.NewSeal(secret); err != nil {
		return err
	}
	store, _, err := stores.LoadOrNew(trail.Key, func() (caddy.Destructor, error) {
		ctx, cancel := context.WithTimeout(context.Background(), openWithin)
		defer cancel()
		opened, err := trail.Opener.OpenTickets(ctx)
		return sharedStore{opened}, err
	})
	if err != nil {
		return fmt.Errorf("opening the store of tickets: %w", err)
	}
	p.storeKey = trail.Key
	config.Store = store.(sharedStore).Store
	return nil
}

// sharedStore is a store in the pool.
type sharedStore struct{ Store }

// Destruct implements caddy.Destructor.
func (s sharedStore) Destruct() error { return s.Close() }

// closeStore gives the store back, which the last of its keepers closes.
func (p *pooled) closeStore() error {
	if p.storeKey == "" {
		return nil
	}
	_, err := stores.Delete(p.storeKey)
	return err
}

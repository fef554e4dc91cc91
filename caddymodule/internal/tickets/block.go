package tickets

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/legacytls"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// block is a block wsaa of a gateway. If its certificate cannot be used it has no keeper, or goes on with
// the keeper of the configuration before: a mistake in the files of one block concerns its CUITs alone.
type block struct {
	options Options
	trail   Trail
	// replaces: the configuration replaces another one.
	replaces bool
	logger   *zap.Logger

	mu sync.Mutex // guards the rest, but for reading shown
	// handle is on the keeper, nil for none.
	handle *app.Handle[*pooled]
	// before are the options of a keeper that stays in use while the files cannot be used, nil for none.
	before *Options
	now    state
	// shown is now as requests and scrapes see it: neither waits while a keeper starts, which may take as long as
	// opening its store does.
	shown atomic.Pointer[state]
}

// state is the state of a block at a moment.
type state struct {
	// keeper is nil until it has started.
	keeper *keeper.Keeper
	// problem is why the certificate cannot be used, nil if it can.
	problem error
	// identity is the certificate's, as far as it could be read, and cuits are those that it is for.
	identity credential.Identity
	cuits    []wsfev1.CUIT
}

// blocks are those that the metrics cover.
var blocks metrics.Live[*block]

// newBlock returns a block that Prepare has read.
func newBlock(o *Options, trail Trail, replaces bool, logger *zap.Logger) *block {
	b := &block{options: *o, trail: trail, replaces: replaces, logger: logger}
	b.now = state{problem: o.problem, identity: o.identity, cuits: o.cuits}
	if b.now.problem == nil {
		b.handle, b.now.problem = b.use(o)
	}
	if b.now.problem != nil {
		if b.before = inUse(o, trail.Key); b.before != nil {
			b.handle = b.lend(b.before)
		}
		b.report()
	}
	b.show()
	return b
}

// report logs why the certificate cannot be used, and what follows. The caller holds mu.
func (b *block) report() {
	fields := append([]zap.Field{zap.String("file", b.options.Certificate)}, Fields(b.now.identity)...)
	for _, cuit := range b.now.cuits {
		fields = append(fields, zap.Stringer("cuit", cuit))
	}
	follows := "the gateway does not log in for its CUITs, whose requests get wsaa.no_ticket"
	switch {
	case b.before != nil:
		follows = fmt.Sprintf("the certificate that was in use before stays in use (%s)", b.before.identity)
	case len(b.now.cuits) == 0:
		follows = "the gateway does not log in with it, and does not know for which CUIT it is, whose requests are refused as they have no ticket"
	}
	b.logger.Error(fmt.Sprintf("%v: %s; it looks at the files again every %v", b.options.placed(b.now.problem), follows, lookEvery), fields...)
}

// placed returns an error with the place of the block.
func (o *Options) placed(err error) error {
	name := "wsaa " + o.Login
	if _, refused := ParsePlace(o.Login); refused != nil {
		name = "wsaa" // the address may have a password
	}
	return directive.At(o.Line, fmt.Errorf("%s: %w", name, err))
}

// use returns a handle on the keeper that has the files, which were read.
func (b *block) use(o *Options) (*app.Handle[*pooled], error) {
	if _, err := NewClient(o.tls()); err != nil {
		return nil, err
	}
	if doubt := o.credential.Doubt(o.at.Environment); doubt != "" {
		b.logger.Warn(doubt, Fields(o.identity)...)
	}
	if o.LegacyTLS {
		b.logger.Warn(legacytls.Warning, zap.String("login", o.at.URL))
	}
	return b.lend(o), nil
}

// lend returns a handle on the keeper of options that were read.
func (b *block) lend(o *Options) *app.Handle[*pooled] {
	handle := app.NewHandle(keepers, o.poolKey(b.trail.Key), func() (*pooled, error) { return open(o, b.trail, b.replaces) })
	handle.Excludes = "tickets in " + b.trail.Key // keepers with other certificates may have the same store
	handle.Check = func(p *pooled) error {
		b.now.keeper = p.keeper
		return nil
	}
	return handle
}

// Start implements app.Resource.
func (b *block) Start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.show()
	blocks.Add(b)
	if b.handle == nil {
		return nil
	}
	if err := b.handle.Start(); err != nil && b.now.problem == nil {
		return directive.At(b.options.Line, err)
	}
	return nil
}

// Stop implements app.Resource.
func (b *block) Stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	blocks.Remove(b)
	if b.handle != nil {
		b.handle.Stop()
	}
}

// look reads the files again if they could not be used, and reports whether there is another keeper, or
// another CUIT. free returns an error if the CUIT is another block's.
func (b *block) look(free func(*block, *Options) error) (changed bool) {
	before := b.state()
	if before.problem == nil {
		return false
	}
	o := b.options
	o.cuits = before.cuits
	err := o.load(time.Now())
	taken := free(b, &o)
	if err == nil {
		err = taken
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.show()
	if taken == nil {
		b.now.cuits, b.now.identity = o.cuits, o.identity
		changed = !slices.Equal(before.cuits, o.cuits)
	}
	if err == nil {
		err = b.replace(&o)
	}
	if b.now.problem = err; err == nil {
		b.logger.Info("the certificate can be used now", append(Fields(o.identity), zap.String("file", o.Certificate))...)
		return true
	}
	if changed && b.handle != nil { // its keeper is for the CUIT before
		b.handle.Stop()
		b.handle, b.before, b.now.keeper = nil, nil, nil
	}
	if before.problem.Error() != err.Error() {
		b.report()
	}
	return changed
}

// replace starts the keeper of files that were read, in the place of the one before. The caller holds mu.
func (b *block) replace(o *Options) error {
	before := b.now.keeper
	handle, err := b.use(o)
	if err != nil {
		return err
	}
	if err := handle.Start(); err != nil {
		handle.Stop()
		b.now.keeper = before
		return err
	}
	if b.handle != nil {
		b.handle.Stop()
	}
	b.handle = handle
	return nil
}

// show makes a change seen. The caller holds mu.
func (b *block) show() {
	now := b.now
	b.shown.Store(&now)
}

// state returns the state at this moment.
func (b *block) state() state { return *b.shown.Load() }

// Unusable is a block whose certificate cannot be used.
type Unusable struct {
	// Login is the login service, File the certificate's as the configuration has it.
	Login string        `json:"login"`
	File  string        `json:"file"`
	Cuits []wsfev1.CUIT `json:"cuits"`
	// Alias, Cuit, its owner, and Expires are absent if the certificate cannot be read.
	Alias   string      `json:"alias,omitempty"`
	Cuit    wsfev1.CUIT `json:"cuit,omitzero"`
	Expires string      `json:"expires,omitempty"`
	// Problem is why, and what mends it.
	Problem string `json:"problem"`
}

// Unusables returns the blocks of all configurations whose certificates cannot be used, by their files.
func Unusables() (all []Unusable) {
	for _, b := range blocks.All() {
		s := b.state()
		if s.problem == nil {
			continue
		}
		u := Unusable{Login: b.options.at.URL, File: b.options.Certificate, Cuits: s.cuits, Problem: b.options.placed(s.problem).Error()}
		if i := s.identity; i.Known() {
			u.Alias, u.Cuit, u.Expires = i.Alias, i.CUIT, moment(i.Expires)
		}
		all = append(all, u)
	}
	slices.SortStableFunc(all, func(a, b Unusable) int { return cmp.Compare(a.File, b.File) })
	return all
}

package tickets

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/legacytls"
	"github.com/fielato/fielato/caddymodule/internal/metrics"
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

	mu sync.Mutex // guards the rest
	// handle is on the keeper, nil for none. keeper is nil until it has started.
	handle *app.Handle[*pooled]
	keeper *keeper.Keeper
	// problem is why the certificate cannot be used, nil if it can.
	problem error
}

// blocks are those that the metrics cover.
var blocks metrics.Live[*block]

// newBlock reads the files of a block that check has passed.
func newBlock(o *Options, trail Trail, replaces bool, logger *zap.Logger) *block {
	b := &block{options: *o, trail: trail, replaces: replaces, logger: logger}
	if b.handle, b.problem = b.read(time.Now()); b.problem != nil {
		b.report()
		if before := inUse(o, trail.Key); before != nil {
			b.handle = b.lend(before)
			logger.Warn("the certificate that was in use before stays in use", zap.String("certificate", before.credential.Name()))
		}
	}
	return b
}

// report logs why the certificate cannot be used.
func (b *block) report() {
	fields := []zap.Field{zap.String("file", b.options.Certificate)}
	for _, cuit := range b.options.cuits {
		fields = append(fields, zap.Stringer("cuit", cuit))
	}
	b.logger.Error(fmt.Sprintf("%v: the gateway does not log in for its CUITs, whose requests get wsaa.no_ticket; it looks at the files again every %v", b.named(b.problem), lookEvery), fields...)
}

// named returns an error with the place of the block.
func (b *block) named(err error) error {
	return directive.At(b.options.Line, fmt.Errorf("wsaa %s: %w", b.options.Login, err))
}

// read reads the files, and returns a handle on the keeper that has them.
func (b *block) read(now time.Time) (*app.Handle[*pooled], error) {
	o := b.options
	if err := o.load(now); err != nil {
		return nil, err
	}
	if _, err := NewClient(o.tls()); err != nil {
		return nil, err
	}
	if doubt := o.credential.Doubt(o.at.Environment); doubt != "" {
		b.logger.Warn(doubt, zap.String("certificate", o.credential.Name()))
	}
	if o.LegacyTLS {
		b.logger.Warn(legacytls.Warning, zap.String("login", o.at.URL))
	}
	return b.lend(&o), nil
}

// lend returns a handle on the keeper of options that were read.
func (b *block) lend(o *Options) *app.Handle[*pooled] {
	handle := app.NewHandle(keepers, o.poolKey(b.trail.Key), func() (*pooled, error) { return open(o, b.trail, b.replaces) })
	handle.Check = func(p *pooled) error {
		b.keeper = p.keeper
		return nil
	}
	return handle
}

// Start implements app.Resource.
func (b *block) Start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	blocks.Add(b)
	if b.handle == nil {
		return nil
	}
	if err := b.handle.Start(); err != nil && b.problem == nil {
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

// look reads the files again if they could not be used, and reports whether there is another keeper.
func (b *block) look() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.problem == nil {
		return false
	}
	handle, err := b.read(time.Now())
	before := b.keeper
	if err == nil {
		if err = handle.Start(); err != nil {
			handle.Stop()
			b.keeper = before
		}
	}
	if err != nil {
		known := b.problem.Error() == err.Error()
		if b.problem = err; !known {
			b.report()
		}
		return false
	}
	if b.handle != nil {
		b.handle.Stop()
	}
	b.handle, b.problem = handle, nil
	b.logger.Info("the certificate can be used now", zap.String("file", b.options.Certificate))
	return true
}

// state returns the keeper, nil for none, and why the certificate cannot be used, nil if it can.
func (b *block) state() (*keeper.Keeper, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keeper, b.problem
}

// Unusable is a block whose certificate cannot be used.
type Unusable struct {
	// Login is the login service, File the certificate's as the configuration has it.
	Login string        `json:"login"`
	File  string        `json:"file"`
	Cuits []wsfev1.CUIT `json:"cuits"`
	// Problem is why, and what mends it.
	Problem string `json:"problem"`
}

// Unusables returns the blocks of all configurations whose certificates cannot be used, by their files.
func Unusables() (all []Unusable) {
	for _, b := range blocks.All() {
		if _, problem := b.state(); problem != nil {
			all = append(all, Unusable{b.options.at.URL, b.options.Certificate, b.options.cuits, b.named(problem).Error()})
		}
	}
	slices.SortStableFunc(all, func(a, b Unusable) int { return cmp.Compare(a.File, b.File) })
	return all
}

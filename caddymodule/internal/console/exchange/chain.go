package exchange

import (
	"context"

	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
)

// maxAsked is how many questions of the gateway are read.
const maxAsked = 40

// chainOf reads the exchange of a record.
func chainOf(ctx context.Context, source *site.Source, log string, index uint64) (*story.Exchange, error) {
	return (&read.Reader{Store: source.Store, Logs: source.Logs, Most: maxAsked}).Whole(ctx, log, index)
}

// maskOf returns what hides the documents that any record of the exchange holds.
func maskOf(c *story.Exchange) *mask.Mask {
	return mask.Of(c.At.Cuit, append(append(c.Records(), c.Asker), c.Asked...)...)
}

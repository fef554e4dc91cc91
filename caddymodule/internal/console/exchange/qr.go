package exchange

import (
	"context"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
)

// addQR adds the QR code of the one invoice that the exchange is about, if it was authorised. The code
// states the receiver's document: where that is hidden there is none.
func (p *exchangePage) addQR(ctx context.Context, source *site.Source, c *story.Exchange) error {
	r := c.Result()
	number, _ := story.Numbers(r)
	if p.Invoices.One == nil || p.Masked || !story.Authorises(r, number) {
		return nil
	}
	isTest, err := evidence.IsTestCode(ctx, source.Store, r)
	if err != nil {
		return err
	}
	code, err := qrcode.Of(p.voice.Lang, c.Request(), r, number, isTest)
	if err != nil {
		return err
	}
	p.QR = &code
	return nil
}

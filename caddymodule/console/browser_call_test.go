package console_test

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// call sends a command of the browser's own to the tab.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// press presses keys one after the other, as a person does: a page that takes a key for itself keeps it
// from being written. (chromedp.KeyEvent sends the letter apart from the key, so that it is written anyway.)
func press(keys string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, r := range keys {
			for _, event := range kb.Encode(r) {
				if event.Type == kb.KeyChar {
					continue
				}
				if key := kb.Keys[r]; key != nil && key.Print && event.Type != kb.KeyUp {
					event.Type, event.Text, event.UnmodifiedText = kb.KeyDown, key.Text, key.Unmodified
				}
				if _, err := cdp.Call(ctx, target, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

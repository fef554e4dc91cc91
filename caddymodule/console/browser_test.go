package console_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/fielato/fielato/internal/testrun"
)

// browser is Chromium, which the tests look at the pages with. Each test has tabs of its own in it.
type browser struct{ ctx context.Context }

// startBrowser starts Chromium for the length of the test.
func startBrowser(t testing.TB) *browser {
	t.Helper()
	program := testrun.Chromium(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.DisableGPU, chromedp.Flag("lang", "es-AR"), chromedp.Flag("accept-lang", "es-AR"))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting %s: %v", program, err)
	}
	return &browser{ctx}
}

// view is how a reader looks at the pages.
type view struct {
	width    int64  // in pixels, 1280 if it is 0
	language string // that the browser asks for, es-AR if it is empty
	noScript bool
}

// patience is how long a test waits for a page, which takes a fraction of it.
const patience = time.Minute

// tab is a reader, who shares no cookie, password or cache with the others.
type tab struct {
	t    testing.TB
	ctx  context.Context
	view view

	mu sync.Mutex // guards what follows
	// complaints are the browser's messages against the pages: errors of scripts, violations of the policy,
	// files that are missing, dialogs that open.
	complaints []string
	received   map[network.RequestID]*transfer
}

// transfer is a file that was received.
type transfer struct {
	url   string
	bytes float64 // over the wire, with the headers
}

// open opens a tab for the length of the test.
func (b *browser) open(t testing.TB, v view) *tab {
	t.Helper()
	return newTab(t, v, b.ctx, chromedp.WithNewBrowserContext())
}

// beside opens another tab of the same reader.
func (p *tab) beside() *tab {
	p.t.Helper()
	return newTab(p.t, p.view, p.ctx)
}

func newTab(t testing.TB, v view, parent context.Context, options ...chromedp.ContextOption) *tab {
	t.Helper()
	p := &tab{t: t, view: v, received: map[network.RequestID]*transfer{}}
	ctx, cancel := chromedp.NewContext(parent, append(options, chromedp.WithListener(p.hear))...)
	t.Cleanup(cancel)
	p.ctx = ctx
	p.do()
	p.resize(defaulted(v.width, 1280))
	p.prefer("light")
	if v.language != "" {
		call(p, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": v.language}})
	}
	if v.noScript {
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	return p
}

func defaulted(value, otherwise int64) int64 {
	if value == 0 {
		return otherwise
	}
	return value
}

// resize sets the width of the window.
func (p *tab) resize(width int64) {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1})
}

// prefer sets the colours that the reader prefers, light or dark. Nothing fades in: a test sees the final
// page.
func (p *tab) prefer(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// hear notes what happens in the tab. It is called between messages of the browser: it must not wait.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.complain("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		p.complain("exception: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.URL)
	case *runtime.EventConsoleAPICalled:
		p.complain("console.%s", e.Type)
	case *page.EventJavascriptDialogOpening:
		p.complain("dialog: %s", e.Message)
	case *network.EventResponseReceived:
		p.received[e.RequestID] = &transfer{url: e.Response.URL}
	case *network.EventLoadingFinished:
		if one := p.received[e.RequestID]; one != nil {
			one.bytes = e.EncodedDataLength
		}
	}
}

func (p *tab) complain(format string, arguments ...any) {
	p.complaints = append(p.complaints, fmt.Sprintf(format, arguments...))
}

// quiet fails the test if the browser has complained.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, complaint := range p.complaints {
		p.t.Errorf("the browser complains: %s", complaint)
	}
	p.complaints = nil
}

// within returns a context that ends if a page takes too long.
func (p *tab) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.ctx, patience)
}

// do takes steps in the tab.
func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	// The first step opens the tab, which lives as long as its context.
	if err := chromedp.Do(p.ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		_, err := chromedp.Steps(steps...)(ctx, target)
		return err
	})); err != nil {
		p.t.Fatal(err)
	}
}

// goTo opens an address, waits until it is loaded, and returns the status of the answer.
func (p *tab) goTo(address string) int {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	response, err := chromedp.Run(ctx, chromedp.NavigateResponse(address))
	if err != nil {
		p.t.Fatalf("%s: %v", address, err)
	}
	return int(response.Status)
}

// follow takes a step that leads to another page, and waits until it is loaded.
func (p *tab) follow(step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(page.LoadEventFired, nil, step)); err != nil {
		p.t.Fatal(err)
	}
}

// ask evaluates an expression in the page. The page's policy does not hold for it.
func ask[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%.200s: %v", expression, err)
	}
	return value
}

// until waits until a condition of the page holds.
func (p *tab) until(condition string) {
	p.t.Helper()
	ask[bool](p, "new Promise(done => { (function look() { if ("+condition+") { done(true); } else { setTimeout(look, 10); } })(); })")
}

// text returns the text that the page shows of the first element.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return ask[string](p, fmt.Sprintf("(document.querySelector(%q) || {innerText: ''}).innerText", selector))
}

// wantText fails the test unless the element shows each text.
func (p *tab) wantText(selector string, wanted ...string) {
	p.t.Helper()
	shown := p.text(selector)
	for _, text := range wanted {
		if !strings.Contains(shown, text) {
			p.t.Errorf("%s does not show %q:\n%.2000s", selector, text, shown)
		}
	}
}

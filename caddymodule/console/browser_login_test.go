package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"
)

// answerLogin answers the browser's question for a name and a password: with what credentials holds, and
// when it asks again, or when that is empty, by pressing Escape.
func (p *tab) answerLogin(credentials *string) {
	p.t.Helper()
	call(p, fetch.Enable, fetch.EnableParams{HandleAuthRequests: new(true)})
	paused, asked := chromedp.Events(p.ctx, fetch.RequestPaused), chromedp.Events(p.ctx, fetch.AuthRequired)
	go func() {
		for request, err := range paused {
			if err != nil {
				return // the tab is closed
			}
			_, _ = chromedp.Call(p.ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: request.RequestID})
		}
	}()
	go func() {
		for request, err := range asked {
			if err != nil {
				return
			}
			answer := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
			p.mu.Lock()
			if name, password, ok := strings.Cut(*credentials, ":"); ok {
				answer = &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: name, Password: password}
			}
			*credentials = ""
			p.mu.Unlock()
			_, _ = chromedp.Call(p.ctx, fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{RequestID: request.RequestID, AuthChallengeResponse: answer})
		}
	}()
}

// testPassword: with a password in front nobody sees anything without it, nor after they have logged out.
func testPassword(t *testing.T, b *browser, p *place) {
	tab, credentials := b.open(t, view{}), ""
	tab.answerLogin(&credentials)
	seesNothing := func(typed string, step chromedp.Action[chromedp.Void]) {
		t.Helper()
		tab.mu.Lock()
		credentials = typed
		tab.mu.Unlock()
		ctx, cancel := tab.within()
		defer cancel()
		// Caddy refuses without a page. Chromium shows one of its own, its headless shell an empty one.
		err, shown := chromedp.Do(ctx, step), tab.text("body")
		if err == nil && shown != "" || err != nil && !strings.Contains(err.Error(), "net::ERR_") {
			t.Errorf("%q: a page opens: %v", typed, err)
		}
		if strings.Contains(shown, p.cae) || strings.Contains(shown, "Factura") {
			t.Errorf("%q: the page shows %.300s", typed, shown)
		}
	}
	seesNothing("", chromedp.Navigate(p.guarded+"/search"))
	seesNothing("contadora:wrong", chromedp.Navigate(p.guarded+"/search"))
	seesNothing("contadora:", chromedp.Navigate(p.guarded+exchange(p.approved)))
	tab.forgiveAll()

	credentials = "contadora:password"
	tab.show(p.guarded, sheet{at: exchange(p.approved)})
	tab.wantText("header", "contadora")
	tab.wantText("main", p.cae)
	tab.follow(chromedp.Click(chromedp.CSS("header a[aria-current]")))
	tab.wantText("main", "Factura B 0001-00000001")
	tab.quiet()

	// A reader logs out by giving the browser a wrong password in the console's address. (Of an unknown
	// name Caddy takes long to find that out, on purpose.) What was read is not
	// kept: the browser asks for it anew.
	seesNothing("", chromedp.Navigate(strings.Replace(p.guarded, "http://", "http://contadora:salir@", 1)+"/search"))
	seesNothing("", chromedp.Navigate(p.guarded+exchange(p.approved)))
	for range 3 {
		seesNothing("", chromedp.NavigateBack())
	}
}

// forgiveAll drops the browser's complaints.
func (p *tab) forgiveAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = nil
}

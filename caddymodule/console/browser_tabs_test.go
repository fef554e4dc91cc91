package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
)

// counter stands between a browser and the console, and counts the live connections that are open.
type counter struct {
	*httptest.Server
	mu         sync.Mutex // guards what follows
	changed    *sync.Cond
	open, most int
}

// newCounter passes everything on to a console. It adds no header: the console would take the browser for one of another
// machine.
func newCounter(t *testing.T, console string) *counter {
	t.Helper()
	to, err := url.Parse(strings.TrimSuffix(console, "/consola"))
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{}
	c.changed = sync.NewCond(&c.mu)
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/search/live") {
			c.add(1)
			defer c.add(-1)
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		c.CloseClientConnections()
		c.Close()
	})
	return c
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open += n
	c.most = max(c.most, c.open)
	c.changed.Broadcast()
}

// mostOpen returns how many were open at a time. A page that goes may still end one.
func (c *counter) mostOpen() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most
}

// wants waits until so many are open. A page that goes may fail to say so: live.js drops it within half a minute.
func (c *counter) wants(t *testing.T, open int) {
	t.Helper()
	late := false
	over := time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.changed.Broadcast()
	})
	defer over.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.open != open && !late {
		c.changed.Wait()
	}
	if c.open != open {
		t.Fatalf("%d live connections are open, want %d", c.open, open)
	}
}

// see makes a tab one that a person sees, or one behind others.
func (p *tab) see(seen bool) {
	p.t.Helper()
	ask[any](p, fmt.Sprintf(`(Object.defineProperty(document, "hidden", {configurable: true, value: %t}), document.dispatchEvent(new Event("visibilitychange")), 0)`, !seen))
}

// shows waits until a row of the tab has all of these texts.
func (p *tab) shows(texts ...string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`Array.from(document.querySelectorAll("table.rows tbody tr")).some(row => %q.split("|").every(text => row.innerText.includes(text)))`, strings.Join(texts, "|")))
}

const following = `document.getElementById("live-state").textContent.startsWith("En vivo")`

// testTabs: eight tabs over plain HTTP, where a browser has six connections to a server, follow over one, each its own
// search. Hidden tabs hold none, and catch up once they are seen. The tab that began may go, and a page that is loaded
// again leaves nothing behind.
func testTabs(t *testing.T, b *browser, p *place) {
	c := newCounter(t, p.console)
	issuer := caddytest.IssuerOf(8)
	cuit := spanish.CUIT(issuer)
	tabs := []*tab{b.open(t, view{})}
	for len(tabs) < 8 {
		tabs = append(tabs, tabs[0].beside())
	}
	for i, one := range tabs {
		at := "/search?list=exchanges"
		if i%2 == 0 {
			at += "&" + queryOf(fmt.Sprint(issuer))
		}
		one.show(c.URL+"/consola", sheet{at: at})
		one.see(true)
		ask[any](one, `document.getElementById("live").click()`)
	}
	for _, one := range tabs {
		one.until(following)
	}
	c.wants(t, 1)
	each := func(of []*tab, number int) {
		t.Helper()
		p.Post("FECAESolicitar", caddytest.LotText(8, int64(number), 1))
		for _, one := range of {
			one.shows(cuit, fmt.Sprintf("0001-%08d", number))
		}
	}
	each(tabs, 1)
	for _, one := range tabs {
		one.see(false)
	}
	c.wants(t, 0)
	p.Post("FECAESolicitar", caddytest.LotText(8, 2, 1))
	for _, one := range tabs {
		one.see(true)
		one.shows(cuit, "0001-00000002")
	}
	tabs[0].do(chromedp.Navigate("about:blank"))
	each(tabs[1:], 3)
	tabs[1].follow(chromedp.Reload())
	each(tabs[2:], 4)
	c.wants(t, 1)
	for _, one := range tabs[2:] {
		ask[any](one, `document.getElementById("live").click()`)
		one.quiet()
	}
	c.wants(t, 0)
	if most := c.mostOpen(); most >= 6 {
		t.Errorf("%d connections were open at a time", most)
	}
}

// testAlone: in a browser without shared workers a page follows by itself, and holds nothing while it is hidden. If it is
// dropped because it was not heard of for long, as after a sleep of the machine, it follows again by itself.
func testAlone(t *testing.T, b *browser, p *place) {
	c := newCounter(t, p.console)
	issuer := caddytest.IssuerOf(9)
	tab := b.open(t, view{})
	tab.show(c.URL+"/consola", sheet{at: "/search?list=exchanges&" + queryOf(fmt.Sprint(issuer))})
	ask[any](tab, `(window.SharedWorker = undefined, document.getElementById("live").click())`)
	tab.until(following)
	p.Post("FECAESolicitar", caddytest.LotText(9, 1, 1))
	tab.shows("0001-00000001")
	tab.see(false)
	c.wants(t, 0)
	tab.see(true)
	c.wants(t, 1)
	ask[any](tab, `(window.realNow = Date.now, window.hours = 0, Date.now = () => realNow() + ++hours * 3600e3, 0)`)
	c.wants(t, 0)
	ask[any](tab, `(Date.now = realNow, 0)`)
	c.wants(t, 1)
	p.Post("FECAESolicitar", caddytest.LotText(9, 2, 1))
	tab.shows("0001-00000002")
	tab.quiet()
}

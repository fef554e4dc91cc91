// Package outside asks parties outside the site, such as witnesses and time-stamping authorities: how their answers come,
// and when a gateway asks again. It is a package of its own because each kind of party has one.
package outside

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/fielato/fielato/internal/unquoted"
)

const (
	// firstRetry is the pause after a failure, which doubles with each one, up to maxRetry or the interval, whichever is
	// longer.
	firstRetry = 5 * time.Second
	maxRetry   = 5 * time.Minute
)

// NewClient returns a client that keeps no connection open between two requests and follows no redirect.
func NewClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	transport.DisableCompression = true
	transport.MaxResponseHeaderBytes = 64 << 10
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Pause returns how long to wait before a party is asked again, after so many failures in a row: the interval, or another
// time after failures, longer with each. It varies by a tenth, so that many gateways do not ask at the same moment.
func Pause(every time.Duration, failures int) time.Duration {
	pause := every
	if failures > 0 {
		pause = min(every, firstRetry)
		for range min(failures-1, 20) {
			pause = min(2*pause, max(maxRetry, every))
		}
	}
	return pause - pause/10 + rand.N(pause/5+1) //nolint:gosec // nobody gains by guessing it
}

// Cause returns the error of a request, without the URL, which may have a credential, and without the bytes of an answer
// that cannot be read: they may be anything, and many.
func Cause(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // the outer one repeats the URL
	}
	return unquoted.Of(err)
}

// Status returns the status of an answer. The words for it are ours: the party's own may be anything.
func Status(code int) string {
	text := http.StatusText(code)
	if text == "" {
		return fmt.Sprint(code)
	}
	return fmt.Sprintf("%d %s", code, text)
}

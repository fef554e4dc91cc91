package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// urlDestination posts checkpoints to a URL.
type urlDestination struct {
	target *url.URL
	client *http.Client
}

// newPostClient returns a client that keeps no connection open between two posts and follows no
// redirect.
func newPostClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	transport.MaxResponseHeaderBytes = 64 << 10 // no header is needed
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (d *urlDestination) id() string   { return d.target.String() }
func (d *urlDestination) shared() bool { return true }

// address leaves out all that may be secret: user, path and query.
func (d *urlDestination) address() string { return d.target.Scheme + "://" + d.target.Host }

// Check does nothing: what was posted is never read back.
func (d *urlDestination) Check(context.Context, Source) error { return nil }

func (d *urlDestination) publish(ctx context.Context, of Source) ([]byte, error) {
	newest := of.Checkpoint()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.target.String(), bytes.NewReader(newest))
	if err != nil {
		return nil, errors.New("posting a checkpoint: the URL cannot be used") // the error repeats it
	}
	request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	request.Header.Set("User-Agent", "fielato")
	response, err := d.client.Do(request)
	if err != nil {
		if outer, ok := errors.AsType[*url.Error](err); ok {
			err = outer.Err // the outer one repeats the URL
		}
		return nil, fmt.Errorf("posting a checkpoint to %s: %w", d.address(), err)
	}
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // only the status counts
	_ = response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, fmt.Errorf("posting a checkpoint to %s: it answered %s", d.address(), response.Status)
	}
	return newest, nil
}

// Look implements Destination. The checkpoint at a URL is not known here.
func (*urlDestination) Look() error { return nil }

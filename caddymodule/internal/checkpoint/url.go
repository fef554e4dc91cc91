package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/fielato/fielato/caddymodule/internal/outside"
)

// urlDestination posts checkpoints to a URL.
type urlDestination struct {
	target *url.URL
	client *http.Client
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
		return nil, fmt.Errorf("posting a checkpoint to %s: %w", d.address(), outside.Cause(err))
	}
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // only the status counts
	_ = response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, fmt.Errorf("posting a checkpoint to %s: it answered %s", d.address(), outside.Status(response.StatusCode))
	}
	return newest, nil
}

// Look implements Destination. The checkpoint at a URL is not known here.
func (*urlDestination) Look(string) error { return nil }

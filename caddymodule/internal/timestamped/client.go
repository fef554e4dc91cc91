package timestamped

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/outside"
	"github.com/fielato/fielato/internal/timestamp"
)

const requestTime = 10 * time.Second

// The results of asking the authority, which label a metric.
const (
	resultStamped     = "stamped"
	resultUnreachable = "unreachable" // it did not answer, or is overloaded
	resultRefused     = "refused"     // it does not stamp
	resultInvalid     = "invalid"     // its answer does not verify
	resultFailed      = "failed"      // the store of the trail did not answer
)

var results = []string{resultStamped, resultUnreachable, resultRefused, resultInvalid, resultFailed}

// failure is an error with its result.
type failure struct {
	result string
	err    error
	status int // of the answer that was refused, 0 for none
}

// Error implements error.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the error.
func (f *failure) Unwrap() error { return f.err }

func fail(result, text string, args ...any) error {
	return &failure{result: result, err: fmt.Errorf(text, args...)}
}

func resultOf(err error) string {
	if err == nil {
		return resultStamped
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f.result
	}
	return resultFailed
}

// send posts a query and returns the answer's body. Errors do not repeat the URL.
func (a *Authority) send(ctx context.Context, query []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.target.String(), bytes.NewReader(query))
	if err != nil {
		return nil, fail(resultFailed, "the URL cannot be used")
	}
	request.Header.Set("User-Agent", "fielato")
	request.Header.Set("Content-Type", "application/timestamp-query")
	request.Header.Set("Accept", "application/timestamp-reply")
	response, err := a.client.Do(request)
	if err != nil {
		return nil, fail(resultUnreachable, "the authority does not answer: %w", outside.Cause(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, refusedWith(response)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, timestamp.MaxReply+1)) // one byte more is refused with the rest
	if err != nil {
		return nil, fail(resultUnreachable, "reading the authority's answer: %w", outside.Cause(err))
	}
	return body, nil
}

// refusedWith returns the failure that an answer with another status than 200 is.
func refusedWith(response *http.Response) error {
	result, text := resultRefused, "the authority refuses the request: %s"
	switch status := response.StatusCode; {
	case status >= 300 && status <= 399:
		text = "the authority answered %s: redirects are not followed, give the URL that it leads to"
	case status == http.StatusTooManyRequests || status >= 500:
		result, text = resultUnreachable, "the authority answered %s"
	}
	return &failure{result, fmt.Errorf(text, outside.Status(response.StatusCode)), response.StatusCode}
}

// refusedOrInvalid tells an answer without a stamp from one that does not verify.
func refusedOrInvalid(err error) error {
	if refusal, ok := errors.AsType[*timestamp.RefusalError](err); ok {
		return fail(resultRefused, "%w", refusal)
	}
	return fail(resultInvalid, "the answer of the authority does not verify: %w", err)
}

package cosigned

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/outside"
	"github.com/fielato/fielato/internal/witness"
)

const (
	// maxAnswer is the most bytes of an answer with cosignatures.
	maxAnswer = 16 << 10
	// maxShown is the most bytes of a refusal that are repeated.
	maxShown = 200
	// requestTime bounds one request.
	requestTime = 10 * time.Second
	// sizeType is the type of the answer that tells the newest size.
	sizeType = "text/x.tlog.size"
)

// answer is what a witness has answered.
type answer struct {
	status      int
	contentType string
	body        []byte
}

// size returns the size that a conflict tells.
func (a answer) size() (size uint64, told bool) {
	kind, _, err := mime.ParseMediaType(a.contentType)
	text, ended := strings.CutSuffix(string(a.body), "\n")
	if err != nil || kind != sizeType || !ended {
		return 0, false
	}
	size, err = strconv.ParseUint(text, 10, 63)
	return size, err == nil && strconv.FormatUint(size, 10) == text
}

// String returns the status and the beginning of the text, which may be anything.
func (a answer) String() string {
	text := strings.TrimSpace(string(a.body[:min(len(a.body), maxShown)]))
	if text == "" {
		return outside.Status(a.status)
	}
	return fmt.Sprintf("%d %q", a.status, text)
}

// add asks for a cosignature.
func (w *Witness) add(ctx context.Context, r witness.Request) (answer, error) {
	return w.send(ctx, http.MethodPost, "add-checkpoint", r.Encode(), maxAnswer)
}

// newest asks the monitoring path for the newest checkpoint that the witness has cosigned.
func (w *Witness) newest(ctx context.Context, origin string) (answer, error) {
	return w.send(ctx, http.MethodGet, witness.LogID(origin)+"/checkpoint", nil, witness.MaxRequest)
}

// send sends a request. Errors do not repeat the URL.
func (w *Witness) send(ctx context.Context, method, path string, body []byte, most int64) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, w.target.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return answer{}, errors.New("the URL cannot be used")
	}
	request.Header.Set("User-Agent", "fielato")
	if body != nil {
		request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	response, err := w.client.Do(request)
	if err != nil {
		return answer{}, outside.Cause(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err != nil {
		return answer{}, fmt.Errorf("reading the answer: %w", outside.Cause(err))
	}
	if int64(len(content)) > most {
		return answer{}, fmt.Errorf("the answer has more than %d bytes", most)
	}
	return answer{response.StatusCode, response.Header.Get("Content-Type"), content}, nil
}

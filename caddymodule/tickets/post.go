package tickets

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/fielato/fielato/wsaa/client"
)

const (
	// loginWithin is how long a login takes at most. The authority's service answers within some
	// seconds, and at times within half a minute.
	loginWithin = time.Minute
	// connectWithin is how long it takes to connect, and then to agree on TLS.
	connectWithin = 15 * time.Second
)

// NewClient returns what asks a login service by HTTP. With ca, the service must have a certificate of
// the authorities in that file, and the system's do not count. option is the name of what the user names
// that file with, for errors.
func NewClient(ca, option string) (*http.Client, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", option, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s %s: there is no certificate in it: give that of the authority in PEM", option, ca)
		}
	}
	return &http.Client{
		Timeout: loginWithin,
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: connectWithin}).DialContext, TLSHandshakeTimeout: connectWithin,
			TLSClientConfig: config, ForceAttemptHTTP2: true, DisableKeepAlives: true, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// NewPost returns the function that sends a message by HTTP: see NewClient.
func NewPost(ca, option string) (client.Post, error) {
	by, err := NewClient(ca, option)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, message client.Message) (client.Reply, error) {
		reply, err := post(ctx, by, message)
		if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); unknown {
			return client.Reply{}, fmt.Errorf("%w: name the authority of its certificate with %s", err, option)
		}
		if err != nil {
			return client.Reply{}, fmt.Errorf("%w: check the address, the network and its firewall; no proxy of the environment is used", err)
		}
		return reply, nil
	}, nil
}

func post(ctx context.Context, by *http.Client, message client.Message) (client.Reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, message.URL, bytes.NewReader(message.Body))
	if err != nil {
		return client.Reply{}, err
	}
	request.Header.Set("Content-Type", message.ContentType)
	request.Header.Set("SOAPAction", message.Action)
	response, err := by.Do(request)
	if err != nil {
		return client.Reply{}, err
	}
	defer func() { _ = response.Body.Close() }() // it was read
	body, err := io.ReadAll(io.LimitReader(response.Body, client.MaxReply+1))
	if err != nil {
		return client.Reply{}, fmt.Errorf("reading the answer: %w", err)
	}
	reply := client.Reply{Status: response.StatusCode, Body: body}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		reply.Date = date
	}
	if _, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil {
		reply.Charset = parameters["charset"]
	}
	return reply, nil
}

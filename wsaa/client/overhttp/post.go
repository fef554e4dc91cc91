// Package overhttp sends the messages of a login client by HTTP, for programs that have no other way to
// send them.
//
// It is a package of its own because package client does no I/O, and a program that sends in another way
// need not link net/http.
package overhttp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/fielato/fielato/internal/unquoted"
	"github.com/fielato/fielato/wsaa/client"
)

// Post returns a function that sends messages with by. It follows no redirection, whatever by does: a
// request that is signed goes to nobody else. by should have a Timeout: the authority's service answers
// within some seconds, and at times within half a minute.
func Post(by *http.Client) client.Post {
	direct := *by
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return func(ctx context.Context, message client.Message) (client.Reply, error) {
		return post(ctx, &direct, message)
	}
}

func post(ctx context.Context, by *http.Client, message client.Message) (client.Reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, message.URL, bytes.NewReader(message.Body))
	if err != nil {
		return client.Reply{}, err
	}
	media, _, _ := strings.Cut(message.ContentType, ";")
	request.Header.Set("Accept", media)
	request.Header.Set("User-Agent", "Fielato")
	request.Header.Set("Content-Type", message.ContentType)
	request.Header.Set("SOAPAction", message.Action)
	response, err := by.Do(request)
	if err != nil {
		return client.Reply{}, unquoted.Of(err)
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

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// consolePath is where the console is if nothing else is said.
const consolePath = "/consola"

// consolePages are all that people look at. %s is the name of the log, whose first records are there when
// somebody begins to read: the target has made them while it showed what it does.
var consolePages = []string{
	"/", "/search", "/search?q=hoy", "/search?q=10048", "/search?q=20111111003", "/search?q=B+0001-00000017",
	"/exchange/%s/1", "/proof/%s/1", "/exchange/%s/2", "/outages", "/rules", "/try",
}

// reader is somebody at the console.
type reader struct {
	conn  *connection
	pages []string
	turn  int
}

// beside makes a measurement while the reader opens one page after another. A page that is not shown
// counts as a request that failed. Without a reader it is the measurement alone.
func (r *reader) beside(ctx context.Context, measurement func() *tally) *tally {
	if r == nil {
		return measurement()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- r.read(ctx) }()
	t := measurement()
	stop()
	if err := <-ended; err != nil {
		t.fail(1, err)
	}
	return t
}

// read opens pages until the context ends or one is not shown. The last page is read to its end.
func (r *reader) read(ctx context.Context) error {
	log, err := os.Hostname() // the gateway names its log like that
	if err != nil {
		return fmt.Errorf("looking for the log: %w", err)
	}
	for ; ctx.Err() == nil; r.turn++ {
		page := consolePath + strings.ReplaceAll(r.pages[r.turn%len(r.pages)], "%s", log)
		got, err := r.conn.get(context.WithoutCancel(ctx), page)
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if got.status != http.StatusOK {
			return fmt.Errorf("%s: status %d: %.300s", page, got.status, got.body)
		}
	}
	return nil
}

func (r *reader) close() {
	if r != nil {
		r.conn.close()
	}
}

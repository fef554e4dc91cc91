package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/caddymodule/stores"
	"github.com/fielato/fielato/internal/durable"
	"github.com/fielato/fielato/internal/postgres"
)

// logState is the state of a gateway's log.
type logState int

const (
	unread   logState = iota // the store could not be read
	unbegun                  // it is made, or signed, at the first start
	underway                 // it has a public key, or records
)

// openedTrail is what an attempt to open a trail has shown.
type openedTrail struct {
	result
	state logState
	log   string
	// verifier is the public key of the log; empty if the store has none.
	verifier string
	// checkpoint is the newest one, a signed note; empty if the log has none.
	checkpoint []byte
	// invented is when the built-in service first issued into a log of the store; empty if it
	// never did.
	invented string
	// hazards are the dangerous settings of the store's server.
	hazards []result
	// err is why it could not be opened.
	err error
}

// trailResults looks at a trail, and at what belongs to it. builtIn: the configuration has the
// built-in service.
func trailResults(ctx context.Context, g gateway, builtIn bool) (results []result) {
	content, err := keyfile.Content(g.Trail.EncryptionKey)
	if err != nil {
		results = append(results, bad("encryption key", "give the file of the key that the trail began with, or the placeholder its value", "%v", err))
	}
	if g.Audit.Store == "postgres" {
		node := g.Audit.Node
		if node == "" {
			node, _ = os.Hostname()
		}
		node = resolved(node)
		opened := openPostgres(ctx, g, node, content)
		opened.judge(builtIn, "database")
		results = append(append(results, opened.result), opened.hazards...)
		results = append(results, keyResult(g, stores.PostgresKeyFile(node), opened), checkpointResult(g, ""))
		return append(results, outsideResults(ctx, g, opened)...)
	}
	path, err := stores.DatabasePath(g.Audit.Path, stores.AuditFile)
	if err != nil {
		return append(results, bad("trail", "set what the placeholder stands for", "%v", err))
	}
	opened := openSQLite(ctx, g, path, content)
	opened.judge(builtIn, "file")
	results = append(results, opened.result, writeResult(path, app.MayMake), keyResult(g, stores.SQLiteKeyFile(path), opened),
		diskResult(filepath.Dir(path)), checkpointResult(g, filepath.Dir(path)))
	return append(results, outsideResults(ctx, g, opened)...)
}

// judge refuses a trail that the start refuses: a repeated request would get an invented CAE from a trail
// of the built-in service.
func (o *openedTrail) judge(builtIn bool, place string) {
	if o.invented != "" && !builtIn {
		o.result = bad("trail", "give audit another "+place+" for the real service: the gateway does not start on this one",
			"the built-in service has issued into it, first on %s: its CAEs are invented", o.invented)
	}
}

// inventedIn returns when the built-in service first issued into a log of a store.
func inventedIn(ctx context.Context, s *cli.Session) (since string, err error) {
	logs, err := s.AllLogs(ctx)
	for _, log := range logs {
		if since == "" && err == nil {
			since, err = trail.InventedSince(ctx, s.Store, log)
		}
	}
	return since, err
}

// resolved replaces the placeholders of a text.
func resolved(text string) string { return caddy.NewReplacer().ReplaceAll(text, "") }

const openCure = "see what the error names; `fielato wsfev1 audit verify` looks at all of it"

func openSQLite(ctx context.Context, g gateway, path string, content *audit.ContentKey) openedTrail {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return openedTrail{result: ok("trail", "sqlite:%s is not there yet; it is made at the first start", path), state: unbegun}
	}
	return openTrail(ctx, cli.StoreAddress{Kind: cli.StoreKinds["sqlite"], Place: path}, "", keyFileOf(g, stores.SQLiteKeyFile(path)), content)
}

// openPostgres opens the log of a node. The gateway itself makes the tables with migrate auto.
func openPostgres(ctx context.Context, g gateway, node string, content *audit.ContentKey) openedTrail {
	at, err := cli.AddressOfStore("store", "postgres:"+strings.TrimPrefix(g.Audit.DSN, "postgres:"), "")
	if err != nil {
		return openedTrail{result: bad("trail", "correct the DSN, and set what its placeholders stand for", "%s", strings.TrimPrefix(err.Error(), "--store: "))}
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	opened := openTrail(ctx, at, node, keyFileOf(g, stores.PostgresKeyFile(node)), content)
	if opened.err == nil || !errors.Is(opened.err, postgres.ErrBehind) {
		return opened
	}
	if g.Audit.Migrate == "auto" {
		return openedTrail{result: ok("trail", "%s lacks tables of this build; the start makes them (migrate auto)", at), state: unbegun, log: node}
	}
	opened.Cure = "run `fielato wsfev1 migrate` with a role that may make tables, or write migrate auto in the block of audit"
	return opened
}

// keyFileOf returns the file of the private key of a log, or where it would be. fallback is the one that
// the store has for it.
func keyFileOf(g gateway, fallback string) string {
	_, file, _ := signingkey.Public(g.Trail.Key, fallback)
	return cmp.Or(file, fallback)
}

// openTrail opens a trail for reading. Without a name the log is the store's first. key is the file of
// the private key.
func openTrail(ctx context.Context, at cli.StoreAddress, log, key string, content *audit.ContentKey) openedTrail {
	failed := func(err error) openedTrail {
		cure := openCure
		if errors.Is(err, audit.ErrContentKey) {
			cure = "give encryption_key the key that the trail began with"
		}
		return openedTrail{result: bad("trail", cure, "%s: %v", at, err), err: err}
	}
	session, err := cli.OpenSession(ctx, &cobra.Command{}, &cli.TrailFlags{}, at, content)
	if err != nil {
		return failed(err)
	}
	defer session.Store.Close()
	if log == "" {
		logs, err := session.AllLogs(ctx)
		if err != nil {
			return failed(err)
		}
		if len(logs) == 0 {
			return openedTrail{result: ok("trail", "%s opens; it has no record yet", at), state: unbegun}
		}
		log = logs[0]
	}
	log, _, err = sentinel.Current(ctx, session.Store, log)
	if err != nil {
		return failed(err)
	}
	head, err := session.Store.Head(ctx, log)
	if err != nil {
		return failed(fmt.Errorf("log %s: %w", log, err))
	}
	verifier, err := signingkey.KnownVerifier(ctx, session.Store, log)
	if err != nil {
		return failed(fmt.Errorf("log %s: %w", log, err))
	}
	if verifier != "" {
		if err := sentinel.TipOf(key, log).Check(ctx, session.Store, log, verifier); err != nil {
			return openedTrail{result: bad("trail", "put the newest copy back; if there is none: `fielato wsfev1 audit continue-after-restore`", "%s: %v", at, err), state: underway, log: log, verifier: verifier}
		}
	}
	since, err := inventedIn(ctx, session)
	if err != nil {
		return failed(err)
	}
	opened := openedTrail{invented: since, hazards: hazardResults(ctx, session.Store), result: ok("trail", "%s opens; log %s, %d records", at, log, head.Size), state: underway, log: log, verifier: verifier, checkpoint: head.Checkpoint}
	if head.Size == 0 && verifier == "" {
		opened.result, opened.state = ok("trail", "%s opens; the log %s has no record yet", at, log), unbegun
	}
	return opened
}

// hazardResults looks at the settings by which the server of a store may lose acknowledged records. What
// it does not show is no result.
func hazardResults(ctx context.Context, store audit.Store) (results []result) {
	const check = "database"
	of, ok := store.(audit.Hazardous)
	if !ok {
		return nil
	}
	found, err := of.Hazards(ctx)
	if err != nil {
		return []result{warn(check, "run it again", "%v", err)}
	}
	for _, hazard := range found {
		results = append(results, warn(check, hazard.Cure, "%s", hazard.Found))
	}
	return results
}

const (
	scarce    = 1 << 30
	tooLittle = 100 << 20
)

// diskResult looks at the room for the trail. The folder need not be there yet.
func diskResult(folder string) result {
	folder = existing(folder)
	free, known := durable.FreeSpace(folder)
	return roomResult(folder, free, known)
}

// roomResult judges how many bytes are free.
func roomResult(folder string, free float64, known bool) result {
	const check, cure = "disk", "make room: where the trail cannot be written nothing is issued"
	if !known {
		return warn(check, "look at it with the system's own tools", "the system does not tell how much is free in %s", folder)
	}
	found := fmt.Sprintf("%s free in %s", humanize.IBytes(uint64(free)), folder)
	switch {
	case free < tooLittle:
		return bad(check, cure, "%s", found)
	case free < scarce:
		return warn(check, cure, "%s", found)
	}
	return ok(check, "%s", found)
}

// checkpointResult looks where checkpoints are kept. One in the folder of the trail says nothing: whoever
// can change the trail can change it too. folder is empty for a trail in another place.
func checkpointResult(g gateway, folder string) result {
	const check, cure = "checkpoint", "write checkpoint_to in a block after audit: a file on another machine's disk, or a URL"
	beside := 0
	for _, to := range g.Trail.CheckpointTo {
		path, err := filepath.Abs(strings.TrimSpace(resolved(to.To)))
		switch at := filepath.Dir(path); {
		case err != nil || strings.Contains(to.To, "://"):
		case folder != "" && at == folder:
			beside++
		default:
			if err := app.MayMakeIn(at); err != nil {
				return warn(check, "run doctor as the gateway's user; if it is, give it the right to write that folder: no checkpoint is kept there", "%v", err)
			}
		}
	}
	switch n := len(g.Trail.CheckpointTo); {
	case n == 0:
		return warn(check, cure, "kept nowhere else: nobody would notice if the newest records were removed")
	case beside == n:
		return warn(check, cure, "kept in the folder of the trail alone, %s: whoever removes records there can put an older checkpoint back", folder)
	default:
		return ok(check, "kept elsewhere too: %s", cli.CountOf(uint64(n-beside), "destination"))
	}
}

// existing returns the first folder that is there: this one, or one above it.
func existing(folder string) string {
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

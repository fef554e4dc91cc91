package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/command/cli"
	"github.com/fielato/fielato/caddymodule/stores"
	"github.com/fielato/fielato/caddymodule/trail"
)

// trailResults looks at a trail, and at what belongs to it.
func trailResults(ctx context.Context, g gateway) []result {
	if g.Audit.Store == "postgres" {
		node := g.Audit.Node
		if node == "" {
			node, _ = os.Hostname()
		}
		found, began := openResult(ctx, "postgres:"+strings.TrimPrefix(g.Audit.DSN, "postgres:"), node)
		return []result{found, keyResult(g, stores.PostgresKeyFile(resolved(node)), began), checkpointResult(g)}
	}
	path, err := stores.DatabasePath(g.Audit.Path, stores.AuditFile)
	if err != nil {
		return []result{bad("trail", "set what the placeholder stands for", "%v", err)}
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return []result{
			ok("trail", "sqlite:%s is not there yet; it is made at the first start", path),
			keyResult(g, stores.SQLiteKeyFile(path), false), diskResult(filepath.Dir(path)), checkpointResult(g),
		}
	}
	found, began := openResult(ctx, "sqlite:"+path, "")
	return []result{found, keyResult(g, stores.SQLiteKeyFile(path), began), diskResult(filepath.Dir(path)), checkpointResult(g)}
}

// resolved replaces the placeholders of a text.
func resolved(text string) string { return caddy.NewReplacer().ReplaceAll(text, "") }

// openResult opens a trail for reading. began: it has a log.
func openResult(ctx context.Context, address, log string) (found result, began bool) {
	const check, cure = "trail", "see what the error names; `fielato wsfev1 audit verify` looks at all of it"
	at, err := cli.AddressOfStore("store", address, stores.AuditFile)
	if err != nil {
		return bad(check, "mend the DSN, and set what its placeholders stand for", "%v", err), false
	}
	session, err := cli.OpenSession(ctx, &cobra.Command{}, &cli.TrailFlags{}, at, nil)
	if err != nil {
		return bad(check, cure, "%s: %v", at, err), false
	}
	defer session.Store.Close()
	logs, err := session.Store.Logs(ctx)
	if err != nil {
		return bad(check, cure, "%s: %v", at, err), false
	}
	if log = resolved(log); log == "" && len(logs) > 0 {
		log = logs[0]
	}
	head, err := session.Store.Head(ctx, log)
	if err != nil {
		return bad(check, cure, "%s: log %s: %v", at, log, err), true
	}
	if head.Size == 0 {
		return ok(check, "%s opens; it has no record yet", at), false
	}
	return ok(check, "%s opens; log %s, %d records", at, log, head.Size), true
}

// keyResult looks at the file of the private key. began: there are records signed with it.
func keyResult(g gateway, fallback string, began bool) result {
	const check = "signing key"
	if strings.Contains(g.Trail.Key, "{") {
		return ok(check, "from a placeholder")
	}
	file := cmp.Or(g.Trail.Key, fallback)
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && began:
		return bad(check, "put the copy of the key back: without it the gateway does not start on this trail", "%s is not there", file)
	case errors.Is(err, fs.ErrNotExist):
		return ok(check, "%s is made at the first start; keep a copy of it then", file)
	case err != nil:
		return bad(check, "let the gateway's user read it", "%v", err)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return bad(check, "chmod 600 "+file+": whoever has it can forge the trail", "%s has the mode %04o", file, info.Mode().Perm())
	}
	return ok(check, "%s has the mode %04o", file, info.Mode().Perm())
}

const (
	scarce    = 1 << 30
	tooLittle = 100 << 20
)

// diskResult looks at the room for the trail. The folder need not be there yet.
func diskResult(folder string) result {
	const check, cure = "disk", "make room: where the trail cannot be written nothing is issued"
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			break
		}
		folder = filepath.Dir(folder)
	}
	free, known := trail.DiskFree(folder)
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

func checkpointResult(g gateway) result {
	const check = "checkpoint"
	if n := len(g.Trail.CheckpointTo); n > 0 {
		return ok(check, "kept elsewhere too: %d destinations", n)
	}
	return warn(check, "write checkpoint_to in a block after audit: a file on another machine's disk, or a URL",
		"kept nowhere else: that records were taken off the end would not be seen")
}

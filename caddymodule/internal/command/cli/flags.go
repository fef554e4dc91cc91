package cli

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/pflag"
)

// TrailFlags are those that all audit commands have.
type TrailFlags struct {
	// Log is the one log that is asked for; no text for all of the store.
	Log string
	// admin and keyFile are the two ways to record an access in the trail: by the running
	// gateway, or by the command itself with the log's private key.
	admin, keyFile string
	// encryptionKey is the file with the key of an encrypted trail.
	encryptionKey string
	// writer is the store by a role that may write the log; only purge and hold have it.
	writer string
}

func (f *TrailFlags) Bind(set *pflag.FlagSet) {
	set.StringVar(&f.Log, "log", "", "One log, where several gateways share the store (default: all, for what looks into several)")
	set.StringVar(&f.admin, "admin", "", "For what is written into the trail (log_reads, purge, hold): the admin API of the gateway that runs ("+adminUsage+", or "+caddy.DefaultAdminListen+")")
	set.StringVar(&f.keyFile, "key-file", "", "For the same where no gateway runs (see --admin): the log's private key, a file or \"agent SOCKET SHA256:…\" (default: beside the store)")
	set.StringVar(&f.encryptionKey, "encryption-key", "", contentKeyUsage)
}

func (f *TrailFlags) BindWriter(set *pflag.FlagSet) {
	set.StringVar(&f.writer, "writer", "", "Where no gateway runs, and the role of --store may not write the log (PostgreSQL): the same store by the role of a gateway")
}

// StoreFlags name the store that a command opens.
type StoreFlags struct {
	*TrailFlags
	store string
	// Content says how the command uses the content of records.
	Content contentUse
}

func (f *StoreFlags) Bind(set *pflag.FlagSet) { set.StringVar(&f.store, "store", "", storeFlagUsage()) }

// contentUse is what a command does with the content of records.
type contentUse int

const (
	contentShown   contentUse = iota // sealed content is reported
	ContentCounted                   // content is read and not shown
)

package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/caddymodule/stores"
)

// AccessNote is a record of KindAccess that a command adds to a trail. A log has one writer:
// the running gateway adds it, or the command itself if none runs.
type AccessNote struct {
	session *Session
	// access is the content of the record, without the log.
	access trail.Read
	// logs are those that may take the record. others are tried last, and by a gateway only.
	logs, others []string
}

// Note returns a note about the command, for any one of the logs.
func (s *Session) Note(access trail.Read, logs ...string) *AccessNote {
	access.What = commandText(s.Cmd)
	return &AccessNote{session: s, access: access, logs: logs}
}

// NotePurge records a purge of the log's content in the log, and returns the index.
func (s *Session) NotePurge(ctx context.Context, log, about string, scope *audit.PurgeScope) (uint64, error) {
	return s.Note(trail.Read{About: about, Purge: scope}, log).Write(ctx)
}

// Write adds the record and returns its index.
func (n *AccessNote) Write(ctx context.Context) (index uint64, err error) {
	index, refusal, err := n.writeByGateway(ctx)
	if err != nil || refusal == nil {
		return index, err
	}
	itself := fmt.Errorf("the store has several logs: name the one to write into with --log: %s", strings.Join(n.logs, ", "))
	if len(n.logs) == 1 {
		read, err := n.forLog(ctx, n.logs[0])
		if err != nil {
			return 0, err
		}
		if index, itself = n.writeDirectly(ctx, read); itself == nil {
			return index, nil
		}
	}
	return 0, fmt.Errorf("give --admin, or "+AdminVariable+", with the address of the gateway's admin API if it runs, or --key-file with the log's private key if it does not: "+
		"by the gateway: %w; without it: %w", refusal, itself)
}

// forLog returns the access, addressed to the writer of this log.
func (n *AccessNote) forLog(ctx context.Context, log string) (*trail.Read, error) {
	verifier, err := signingkey.KnownVerifier(ctx, n.session.Store, log)
	read := n.access
	read.Log, read.PublicKey, read.Who = log, verifier, UserAtHost()
	return &read, err
}

// gatewayTimeout bounds how long the gateway may take to record an access. After it a command
// reports that the gateway hangs.
const gatewayTimeout = 10 * time.Second

// writeByGateway asks the gateway at --admin to add the record. It asks for each log in turn,
// until the gateway takes the one that it writes. refusal: no gateway of this store took it.
func (n *AccessNote) writeByGateway(ctx context.Context) (index uint64, refusal, err error) {
	ctx, cancel := context.WithTimeout(ctx, gatewayTimeout)
	defer cancel()
	for _, log := range append(append([]string(nil), n.logs...), n.others...) {
		read, err := n.forLog(ctx, log)
		if err != nil {
			return 0, nil, err
		}
		index, refused := askGateway(ctx, n.session.flags, read)
		if refused == nil {
			return index, nil, nil
		}
		if refusal == nil {
			refusal = refused
		}
		if ctx.Err() != nil {
			break
		}
	}
	return 0, refusal, nil
}

// askGateway asks the gateway at --admin to add the record.
func askGateway(ctx context.Context, flags *TrailFlags, read *trail.Read) (uint64, error) {
	address, source := flags.adminAddress()
	body, err := json.Marshal(read)
	if err != nil {
		return 0, fmt.Errorf("asking the gateway: %w", err)
	}
	answer, err := AskAdmin(ctx, address, http.MethodPost, trail.ReadsPath, body)
	if err != nil {
		return 0, fmt.Errorf("%w%s", err, source)
	}
	// Another server at this address may answer 200 to anything.
	var done trail.RecordedAt
	err = json.Unmarshal(answer, &done)
	log, index, ok := audit.ParseAddress(done.Record)
	if err != nil || !ok || log != read.Log {
		return 0, fmt.Errorf("%s answers, but is not a gateway of this trail%s", address, source)
	}
	return index, nil
}

// writeDirectly adds the record without a gateway.
func (n *AccessNote) writeDirectly(ctx context.Context, read *trail.Read) (index uint64, err error) {
	address, flags := n.session.Address, n.session.flags
	if flags.writer != "" {
		if address, err = AddressOfStore("writer", flags.writer, stores.AuditFile); err != nil {
			return 0, err
		}
	}
	store, err := address.Kind.Write(ctx, address.Place, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if _, err := trail.Claim(ctx, store, read.Log); err != nil {
		return 0, err
	}
	source, err := flags.Key(address, read.Log)
	if err != nil {
		return 0, err
	}
	key, _, err := source.Open(ctx, store, read.Log)
	if err != nil {
		return 0, err
	}
	if err := sentinel.TipOf(flags.KeyFile(address, read.Log), read.Log).MayGrow(ctx, store, read.Log, key.Verifier()); err != nil {
		return 0, err
	}
	writer, err := audit.Open(ctx, store, read.Log, key, audit.Options{})
	if err != nil {
		return 0, err
	}
	if err = read.Fits(ctx, store); err == nil {
		index, err = writer.Append(ctx, read.Record("", time.Now()))
	}
	return index, errors.Join(err, writer.Close())
}

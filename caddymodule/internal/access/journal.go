package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clients"
)

// journal records the tables of one gateway in a trail.
type journal struct {
	trail *trail.Trail
	// setting is the name of the setting in the store that has the digest and the address of the gateway's newest
	// table.
	setting string
}

// newJournal returns the journal of the gateway at a line.
func newJournal(t *trail.Trail, line string) *journal {
	return &journal{t, "clients/" + t.Log + "/" + line}
}

// nobody is the text of a table without rows: no text would say that there is no table.
const nobody = "# nobody\n"

// keep returns the address of the record that has the table. It adds one unless the gateway's newest has it.
func (j *journal) keep(table *clients.Table, source string, now time.Time) (string, error) {
	sum := table.Digest()
	newest, err := j.newest()
	if err != nil {
		return "", err
	}
	if kept, address, _ := strings.Cut(newest, " "); kept == hex.EncodeToString(sum[:]) {
		return address, nil
	}
	return j.add(table, source, now)
}

// add adds a record of the table, which is the gateway's newest then, and returns its address.
func (j *journal) add(table *clients.Table, source string, now time.Time) (string, error) {
	address, err := j.append(cmp.Or(table.Text(), nobody), source, now)
	if err != nil {
		return "", err
	}
	sum := table.Digest()
	return address, j.setNewest(hex.EncodeToString(sum[:]) + " " + address)
}

// close records that there is no table any more, if the newest is one.
func (j *journal) close(source string, now time.Time) error {
	newest, err := j.newest()
	if err != nil || newest == "" {
		return err
	}
	if _, err := j.append("", source, now); err != nil {
		return err
	}
	return j.setNewest("")
}

// append adds the record of a table and returns its address. No text says that there is none any more.
func (j *journal) append(text, source string, now time.Time) (string, error) {
	host, _ := os.Hostname()
	index, err := j.trail.Append(&audit.Record{
		Kind: audit.KindAccess, ID: rand.Text(), Time: now, Node: j.trail.Log, Outcome: audit.AccessClients,
		ClientIdentity: "fielato on " + host, Detail: detailPrefix + source,
		Request: []byte(text), RequestDigest: sha256.Sum256([]byte(text)), RequestLength: int64(len(text)),
	}, nil)
	if err != nil {
		return "", fmt.Errorf("recording the table of clients: %w", err)
	}
	return audit.Address(j.trail.Log, index), nil
}

func (j *journal) newest() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), trail.AppendTimeout)
	defer cancel()
	value, err := j.trail.Store.Setting(ctx, j.setting)
	if err != nil {
		return "", fmt.Errorf("reading which table of clients is the newest: %w", err)
	}
	return string(value), nil
}

func (j *journal) setNewest(value string) error {
	ctx, cancel := context.WithTimeout(context.Background(), trail.AppendTimeout)
	defer cancel()
	if err := j.trail.Store.SetSetting(ctx, j.setting, []byte(value)); err != nil {
		return fmt.Errorf("keeping which table of clients is the newest: %w", err)
	}
	return nil
}

package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/clients"
)

// journal records tables in a trail.
type journal struct{ Journal }

// keep returns the address of the record that has the table. It adds one unless the newest of this gateway has it.
func (j *journal) keep(table *clients.Table, source string, now time.Time) (string, error) {
	digest := table.Digest()
	newest, err := j.Newest()
	if err != nil {
		return "", err //nolint:wrapcheck // the caller names what was being done
	}
	kept, address, _ := strings.Cut(newest, " ")
	if kept == hex.EncodeToString(digest[:]) {
		return address, nil
	}
	address, err = j.Append(newRecord(table.Text(), j.Log(), source, now))
	if err != nil {
		return "", err //nolint:wrapcheck // as above
	}
	return address, j.SetNewest(hex.EncodeToString(digest[:]) + " " + address)
}

// newRecord returns the record of a table. No text says that there is none any more.
func newRecord(text, log, source string, now time.Time) *audit.Record {
	host, _ := os.Hostname()
	return &audit.Record{
		Kind: audit.KindAccess, ID: rand.Text(), Time: now, Node: log, Outcome: audit.AccessClients,
		ClientIdentity: "fielato on " + host, Detail: "clients: " + source,
		Request: []byte(text), RequestDigest: sha256.Sum256([]byte(text)), RequestLength: int64(len(text)),
	}
}

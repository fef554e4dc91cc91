package trail_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	auditpostgres "github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// These variables give DSNs to a gateway and to a built-in service: a password stands in no
// configuration.
const (
	dsnVariable    = "FIELATO_TEST_DSN"
	ledgerVariable = "FIELATO_TEST_LEDGER"
)

// sharedLedger is a ledger in PostgreSQL.
const sharedLedger = "postgres {env." + ledgerVariable + "} {\n migrate auto\n }"

// node is one of several gateways that share a database, in a process of its own. Started
// again it has the same address, and the same name or another one.
type node struct {
	*caddytest.Process
	dsn, name, next string
	options         []string
}

// prepareNode starts a gateway of this name in front of next. It may not answer yet.
func prepareNode(t testing.TB, dsn, name, next string, options ...string) *node {
	t.Helper()
	n := &node{
		Process: &caddytest.Process{Site: &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t)}},
		dsn:     dsn, name: name, next: next, options: options,
	}
	n.again(name)
	return n
}

// startNode is prepareNode, and waits until the gateway answers.
func startNode(t testing.TB, dsn, name, next string, options ...string) *node {
	t.Helper()
	n := prepareNode(t, dsn, name, next, options...)
	n.await()
	return n
}

// again starts the process once more.
func (n *node) again(name string) {
	n.T.Helper()
	n.name = name
	n.ServiceProcess = caddytest.StartCaddy(n.T, n.caddyfile(), dsnVariable+"="+n.dsn, "XDG_DATA_HOME="+dataOf(n.dsn))
}

// dataOf returns the data folder of all gateways on a database: a key that has signed a log begins
// none in another.
func dataOf(dsn string) string {
	digest := sha256.Sum256([]byte(dsn))
	return filepath.Join(os.Getenv("XDG_DATA_HOME"), hex.EncodeToString(digest[:8]))
}

// await waits until the gateway answers.
func (n *node) await() {
	n.T.Helper()
	if _, err := n.Ready(); err != nil {
		n.Kill()
		n.T.Fatalf("gateway %s: %v: %s", n.name, err, &n.Stderr)
	}
}

func (n *node) caddyfile() string {
	return n.Config(sharedAudit(n.name, n.options...), n.next)
}

// sharedAudit returns the options of a gateway that shares its store, with the trail's options in
// their place.
func sharedAudit(name string, options ...string) string {
	var outer []string
	block := "audit postgres {env." + dsnVariable + "} {\n\t\t\tnode " + name + "\n\t\t\tmigrate auto\n"
	for _, option := range options {
		if inner, ok := strings.CutPrefix(option, caddytest.TrailOption); ok {
			block += "\t\t\t" + inner + "\n"
		} else {
			outer = append(outer, option)
		}
	}
	return strings.Join(append(outer, block+"\t\t}"), "\n\t\t")
}

// readLogs returns the records of all logs of a database, each log whole and in its order,
// after it was verified as an auditor would.
func readLogs(t testing.TB, dsn string) (records []*audit.Record) {
	t.Helper()
	return readSealedLogs(t, dsn, nil)
}

// readSealedLogs is readLogs with the key of the content.
func readSealedLogs(t testing.TB, dsn string, key *audit.ContentKey) (records []*audit.Record) {
	t.Helper()
	store, err := auditpostgres.OpenReader(t.Context(), dsn, auditpostgres.Options{ContentKey: key})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	logs, err := store.Logs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		verifier, err := store.Secret(t.Context(), "verifier-key/"+log, func() ([]byte, error) { return nil, io.EOF })
		if err != nil {
			t.Fatalf("the public key of %s: %v", log, err)
		}
		report, err := verify.Log(t.Context(), store, log, string(verifier), verify.Options{})
		if err != nil || !report.Sound() {
			t.Errorf("log %s: %+v, %v", log, report, err)
		}
		records = append(records, recordsOf(t, store, log)...)
	}
	return records
}

// recordsOf returns the records of one log.
func recordsOf(t testing.TB, store audit.Store, log string) (records []*audit.Record) {
	t.Helper()
	for piece, err := range store.Scan(t.Context(), log, 0) {
		if err != nil {
			t.Fatal(err)
		}
		forms, err := piece.Unpack()
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range forms {
			r, err := audit.Decode(form)
			if err != nil {
				t.Fatal(err)
			}
			r.Log, r.Index = log, uint64(len(records))
			records = append(records, r)
		}
	}
	return records
}

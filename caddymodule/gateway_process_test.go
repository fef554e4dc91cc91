package caddymodule_test

import (
	"path/filepath"
	"testing"
)

// process is a gateway in a process of its own.
type process struct {
	*site
	*serviceProcess
}

// startProcess starts a gateway in front of next in a process of its own, with a store
// of its own, and waits until it answers.
func startProcess(t testing.TB, next string, options ...string) *process {
	t.Helper()
	return startProcessIn(t, t.TempDir(), "", next, options...)
}

// startProcessIn is startProcess with the folder of the store, and with the number of
// the user that the process becomes, no text for its own.
func startProcessIn(t testing.TB, folder, uid, next string, options ...string) *process {
	t.Helper()
	p := prepareProcess(t, folder, uid, next, options...)
	if _, err := p.ready(); err != nil {
		p.end()
		t.Fatalf("the gateway's process: %v\n%s", err, &p.stderr)
	}
	return p
}

// prepareProcess is startProcessIn without waiting for the gateway.
func prepareProcess(t testing.TB, folder, uid, next string, options ...string) *process {
	t.Helper()
	p := &process{site: &site{
		t: t, store: filepath.Join(folder, "audit.db"),
		url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t),
	}}
	p.serviceProcess = startCaddy(t, p.config(p.withAudit(options...), next), "FIELATO_TEST_UID="+uid)
	return p
}

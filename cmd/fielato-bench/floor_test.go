package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestTheFloorKeepsBothBeforeItAnswers: the proof finds what is missing in its file.
func TestTheFloorKeepsBothBeforeItAnswers(t *testing.T) {
	upstream := httptest.NewServer(newStub())
	defer upstream.Close()
	address, err := newAddresses().free()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	child, err := startChild(t.Context(), floorName, roleCaddy,
		caddyfile(address, durable(folder)+forward(upstream.Listener.Addr().String(), folder)))
	if err != nil {
		t.Fatal(err)
	}
	defer child.end()
	c := connect(address)
	defer c.close()
	if err := (promises{syncs: true}).prove(t.Context(), c, jsonForm, folder); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func([]byte) []byte{
		"no request": func(kept []byte) []byte { return bytes.ReplaceAll(kept, []byte(`"FeCAEReq"`), nil) },
		"no answer":  func(kept []byte) []byte { return bytes.ReplaceAll(kept, []byte(`"FeDetResp"`), nil) },
	} {
		good := newSeries(provingSeries).appendLot(nil, 1)
		got, err := c.post(t.Context(), jsonForm, good)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(floorFile(folder))
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(t.TempDir(), "kept")
		if err := os.WriteFile(other, change(kept), 0o600); err != nil {
			t.Fatal(err)
		}
		if found, err := onDisk(other, good, got.body); found || err != nil {
			t.Errorf("%s: %t: %v", name, found, err)
		}
	}
}

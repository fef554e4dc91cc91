package trail_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

// TestKilledGatewayLosesNoAnsweredExchange kills gateway and built-in service, one
// process, at random moments, under load and while it starts. Each start looks whether the
// trail's end is what its checkpoint says; after each third death the whole trail is read.
//
//	FIELATO_TEST_LONG=17 go test ./caddymodule/internal/trail -run KilledGateway -v
func TestKilledGatewayLosesNoAnsweredExchange(t *testing.T) {
	t.Parallel()
	kills := caddytest.KillsOf(t)
	s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t), Store: filepath.Join(t.TempDir(), "audit.db")}
	k := &killedTrail{Site: s, told: map[uint64]toldExchange{}}
	config := strings.Replace(s.Config(s.WithAudit(), caddytest.WithBackend(t)), "admin off", "admin off\nlog {\noutput discard\n}", 1)
	m := caddytest.NewMortal(t, config)
	var open int
	for life := range kills {
		if life%3 == 2 {
			m.DieStarting()
		} else {
			m.DieUnderLoad(m.Start(), 150, func(worker int, http *http.Client) func(context.Context) error {
				return (&trailClient{killedTrail: k, http: http, series: worker, random: rand.New(rand.NewPCG(caddytest.KillSeed, uint64(life)<<8|uint64(worker)))}).work
			})
		}
		if life%3 != 2 && life != kills-1 {
			continue
		}
		open = k.verify()
		// A death interrupts at most what each client has asked for.
		if most := caddytest.KillClients * (life + 1); open > most {
			t.Fatalf("%d intents without outcome after %d deaths of %d clients", open, life+1, caddytest.KillClients)
		}
	}
	m.Start().Kill()
	t.Logf("%d kills, %d exchanges answered, %d records, %d intents without outcome", kills, len(k.told), k.size, open)
	if len(k.told) < kills {
		t.Errorf("%d exchanges were answered in %d lives: nothing was put to the proof", len(k.told), kills)
	}
}

// killedTrail is what clients were told of a trail.
type killedTrail struct {
	*caddytest.Site
	size uint64 // of the trail when it was read last

	mu   sync.Mutex // guards told
	told map[uint64]toldExchange
}

// toldExchange is an exchange whose answer a client has read whole.
type toldExchange struct {
	log, operation  string
	request, answer [32]byte
}

// verify reads the whole trail and returns the number of intents without outcome.
func (k *killedTrail) verify() (open int) {
	k.T.Helper()
	records := readTrail(k.T, k.Store)
	if uint64(len(records)) < k.size {
		k.T.Fatalf("%d records, there were %d before", len(records), k.size)
	}
	k.size = uint64(len(records))
	k.mu.Lock()
	defer k.mu.Unlock()
	for index, told := range k.told {
		if index >= k.size {
			k.T.Fatalf("record %d was told to a client, the trail ends at %d", index, k.size)
		}
		r := records[index]
		if (toldExchange{r.Log, r.Operation, r.RequestDigest, r.AnswerDigest}) != told || r.Kind == audit.KindIntent {
			k.T.Fatalf("record %d is the %s of another %s", index, r.Kind, r.Operation)
		}
	}
	settled := map[uint64]bool{}
	for _, r := range records {
		if r.Kind == audit.KindIntent {
			open++
		}
		if r.Kind != audit.KindOutcome {
			continue
		}
		if r.Intent >= r.Index || records[r.Intent].Kind != audit.KindIntent || records[r.Intent].ID != r.ID || settled[r.Intent] {
			k.T.Fatalf("outcome %d says that its intent is %d, which is none, that of another exchange, or has an outcome", r.Index, r.Intent)
		}
		settled[r.Intent] = true
	}
	return open - len(settled)
}

// readTrail returns all records, after every hash of the trail was computed again.
func readTrail(t testing.TB, path string) []*audit.Record {
	t.Helper()
	store, err := auditsqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	secret := func(name string) string {
		value, err := store.Secret(t.Context(), name, func() ([]byte, error) { return nil, io.EOF })
		if err != nil {
			t.Fatal(err)
		}
		return string(value)
	}
	log := secret("log-name")
	audittest.VerifyWith(t, store, log, secret("verifier-key"))
	return recordsOf(t, store, log)
}

// trailClient issues on a series of its own, and asks and errs in between.
type trailClient struct {
	*killedTrail
	http   *http.Client
	random *rand.Rand
	series int
}

// work is one thing that a client does. The error ends it.
func (c *trailClient) work(ctx context.Context) error {
	got, err := c.ask(ctx, "FECompUltimoAutorizado", caddytest.LastText(c.series))
	if err != nil {
		return err
	}
	var last wsfev1.FECompUltimoAutorizadoAnswer
	if err := json.Unmarshal(got.Body, &last); err != nil {
		c.T.Errorf("the last number: %v: %s", err, got.Body)
		return err
	}
	lot := caddytest.LotText(c.series, last.CbteNro+1, 1+c.random.IntN(3))
	if c.random.IntN(5) == 0 {
		lot = strings.Replace(lot, `"ImpTotal":121.00`, `"ImpTotal":120.00`, 1) // refused, without an intent
	}
	_, err = c.ask(ctx, "FECAESolicitar", lot)
	return err
}

func (c *trailClient) ask(ctx context.Context, operation, body string) (caddytest.Response, error) {
	got, err := c.send(c.Request(ctx, operation, body))
	if err != nil {
		return caddytest.Response{}, err
	}
	log, text, _ := strings.Cut(got.Header.Get("Wsfev1-Record"), "/")
	index, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		c.T.Errorf("%s answered %d without the address of its record: %s", operation, got.Status, got.Body)
		return caddytest.Response{}, err
	}
	told := toldExchange{log, operation, sha256.Sum256([]byte(body)), sha256.Sum256(got.Body)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.told[index]; twice {
		c.T.Errorf("two exchanges were told that they are record %d", index)
		return caddytest.Response{}, caddytest.ErrRefused
	}
	c.told[index] = told
	return got, nil
}

// send returns an answer that came whole.
func (c *trailClient) send(r *http.Request) (caddytest.Response, error) {
	resp, err := c.http.Do(r)
	if err != nil {
		return caddytest.Response{}, err
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil {
		return caddytest.Response{}, err
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusBadRequest {
		return caddytest.Response{}, errors.Join(caddytest.ErrRefused, fmt.Errorf("%d: %s", resp.StatusCode, &body))
	}
	return caddytest.Response{Status: resp.StatusCode, Header: resp.Header, Body: body.Bytes()}, nil
}

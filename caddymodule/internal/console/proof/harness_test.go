package proof_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/console/proof"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/segment"
)

const (
	log = "gateway-1"
	// hostile is what a client calls itself.
	hostile = "<script>alert(1)</script>\u202etxt"
	answer  = `{"FeCabResp":{"Resultado":"A"},"FeDetResp":{"FECAEDetResponse":[{"CbteDesde":5,"CAE":"76470000000018","Observaciones":{"Obs":[{"Code":10063,"Msg":"x"}]}}]}}`
	request = `{"Auth":{"Token":"hmac-sha256:00","Sign":"hmac-sha256:00","Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},` +
		`"FeDetReq":{"FECAEDetRequest":[{"DocTipo":80,"DocNro":30000000007,"CbteDesde":5,"CbteHasta":5}]}}}`
)

// The records of the trail of these tests. There are others before and after.
const (
	intentAt  = 2
	outcomeAt = 3
	lotAt     = 4
	records   = 7
)

// noon is when the exchanges begin: 12:00:00 in Argentina.
var noon = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

// trailFile writes a trail into a file, and returns the public key of its log.
func trailFile(t *testing.T) (path, key string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audit.db")
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	signer := audittest.Key(t, log)
	w, err := audit.Open(t.Context(), store, log, signer, audit.Options{First: true, Random: rand.NewChaCha8([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	vouchers := []audit.Voucher{{CbteDesde: 5, CbteHasta: 5}}
	subject := audit.Record{
		Kind: audit.KindIntent, ID: "x-5", Time: noon, Node: "node-1", ClientAddress: "192.0.2.7", ClientIdentity: hostile, Operation: "FECAESolicitar",
		Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Vouchers: vouchers, Decision: "forward", Certainty: audit.Unknown,
		// Fields that a record need not have: the script must pass over them.
		ClientTable: "gateway-1/0", ClientRow: "shop", SentFingerprint: [16]byte{1}, TraceID: [16]byte{1}, Origin: "gateway-1/1", Cause: audit.CauseTimeout, Way: audit.WayConsole, Environment: audit.EnvironmentProduction,
		RequestLength: 500, RequestDigest: sha256.Sum256([]byte("as it was on the wire")), Request: []byte(request),
	}
	outcome := subject
	outcome.Kind, outcome.Intent, outcome.Request, outcome.Answer = audit.KindOutcome, intentAt, nil, []byte(answer)
	outcome.Vouchers = []audit.Voucher{{CbteDesde: 5, CbteHasta: 5, Code: "76470000000018", Expires: "20261202", Resultado: "A"}}
	outcome.AnswerLength, outcome.AnswerDigest = int64(len(answer)), sha256.Sum256([]byte(answer))
	outcome.Resultado, outcome.Outcome, outcome.Certainty, outcome.Status, outcome.Upstream = "A", "approved", audit.Answered, 200, "service.example:443"
	outcome.Findings = []audit.Finding{{Code: "10217", Severity: "OBS", Action: "observe", Text: "año", Expected: "1", Got: "2"}}
	outcome.Duration = 350 * time.Millisecond
	lot := outcome
	lot.Kind, lot.Intent, lot.Vouchers = audit.KindExchange, 0, []audit.Voucher{{CbteDesde: 10, CbteHasta: 10}, {CbteDesde: 11, CbteHasta: 12}}
	other := audit.Record{Kind: audit.KindExchange, ID: "x", Time: noon, Operation: "FEDummy", Decision: "forward", Outcome: "answered", Certainty: audit.Answered, Upstream: "wsfev1_backend"}
	outage := audit.Record{Kind: audit.KindOutage, ID: "o", Time: noon, Duration: 2*time.Hour + 3*time.Minute, Outcome: "outage_ended", Detail: `{"service":"arca","failures":{"network":24},"answer":"gateway-1/5"}`}
	for _, r := range []audit.Record{other, other, subject, outcome, lot, other, outage} {
		if _, err := w.Append(t.Context(), &r); err != nil {
			t.Fatal(err)
		}
	}
	_, err = store.Secret(t.Context(), signingkey.VerifierKeyOf(log), func() ([]byte, error) { return []byte(signer.Verifier()), nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{w.Close(), store.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return path, signer.Verifier()
}

// copied returns a copy of the file that change has tampered with.
func copied(t *testing.T, path string, change func(*testing.T, *sql.DB)) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if change == nil {
		return path
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	change(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// statement runs a statement that changes one row.
func statement(text string, args ...any) func(*testing.T, *sql.DB) {
	return func(t *testing.T, db *sql.DB) {
		t.Helper()
		result, err := db.Exec(text, args...)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := result.RowsAffected(); n == 0 {
			t.Fatalf("%s changed nothing", text)
		}
	}
}

// edit changes a column of the segment of a record; item is the record's part of it.
func edit(column string, index int64, change func(item []byte)) func(*testing.T, *sql.DB) {
	return func(t *testing.T, db *sql.DB) {
		t.Helper()
		var id int64
		var packed []byte
		err := db.QueryRow("SELECT id, "+column+" FROM segments WHERE id <= 1 << 40 | ? ORDER BY id DESC LIMIT 1", index).Scan(&id, &packed)
		if err != nil {
			t.Fatal(err)
		}
		items, err := segment.Unpack(column, packed)
		if err != nil {
			t.Fatal(err)
		}
		change(items[index-id&(1<<40-1)])
		statement("UPDATE segments SET "+column+" = ? WHERE id = ?", segment.Pack(column, items), id)(t, db)
	}
}

// replace replaces a text in what a record has by another of the same length.
func replace(column string, index int64, old, with string) func(*testing.T, *sql.DB) {
	return edit(column, index, func(item []byte) {
		at := strings.Index(string(item), old)
		if at < 0 || len(old) != len(with) {
			panic("there is no " + old)
		}
		copy(item[at:], with)
	})
}

// world is a site with the page, about one file.
type world struct {
	*site.Site
	store audit.Store
	key   string
}

func serve(t *testing.T, path, key string) *world {
	t.Helper()
	store, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return serveStore(store, key)
}

func serveStore(store audit.Store, key string) *world {
	w := &world{store: store, key: key}
	kept := func(context.Context) []checkpoint.ShownDestination {
		return []checkpoint.ShownDestination{{Address: "https://elsewhere.example", At: "2026-11-22T12:00:01-03:00"}}
	}
	w.Site = &site.Site{Base: "/consola", Now: func() time.Time { return noon }, Logger: zap.NewNop()}
	w.Open = func(ctx context.Context, do func([]site.Source) error) error {
		logs, err := store.Logs(ctx)
		if err != nil {
			return err
		}
		return do([]site.Source{{Store: store, Logs: logs, Kept: kept}})
	}
	w.Prepare()
	proof.Add(w.Site)
	return w
}

// get returns the answer to a request.
func (w *world) get(address string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/consola/proof/"+address, nil)
	answered := httptest.NewRecorder()
	w.ServeHTTP(answered, r)
	return answered
}

// post returns the answer to a form that a page of such a site has sent.
func (w *world) post(address, site string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/consola/proof/"+address, nil)
	r.Header.Set("Sec-Fetch-Site", site)
	answered := httptest.NewRecorder()
	w.ServeHTTP(answered, r)
	return answered
}

// pageData is the data for the page's script.
type pageData struct {
	Log, Key   string
	Incomplete bool
	Proofs     []struct {
		Index, Text string
		Claims      map[string]string
	}
}

var dataBlock = regexp.MustCompile(`(?s)<script type="application/json" id="proof-data">(.*?)</script>`)

// dataOf returns the data in a page.
func dataOf(t *testing.T, page string) (data pageData) {
	t.Helper()
	found := dataBlock.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("there is no data in %s", page)
	}
	if err := json.Unmarshal([]byte(found[1]), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// wantAll checks that a text has others.
func wantAll(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

// wantNone checks that a text has none of others.
func wantNone(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	if i := slices.IndexFunc(unwanted, func(one string) bool { return strings.Contains(text, one) }); i >= 0 {
		t.Errorf("there is %q in\n%s", unwanted[i], text)
	}
}

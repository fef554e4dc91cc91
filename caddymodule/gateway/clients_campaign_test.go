package gateway_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1/soap"
)

// campaignRow is a client of the campaign, and in plain terms its rights.
type campaignRow struct {
	user   string
	cuits  []string
	points []string // none for all
	may    []string
}

func (c campaignRow) String() string {
	text := "client " + c.user + " {\n user " + c.user + "\n cuits " + strings.Join(c.cuits, " ") + "\n may " + strings.Join(c.may, " ") + "\n"
	if len(c.points) > 0 {
		text += "pto_vta " + strings.Join(c.points, " ") + "\n"
	}
	return text + "}"
}

// campaignTables are the tables that replace each other while requests are under way.
var campaignTables = [][]campaignRow{
	{
		{"shop", []string{"20111111112"}, []string{"1", "2"}, []string{"issue", "query"}},
		{"erp", []string{"20111111112", "30500010912"}, nil, []string{"*"}},
		{"reports", []string{"30500010912"}, nil, []string{"query", "tables"}},
	},
	{
		{"shop", []string{"30500010912"}, []string{"3"}, []string{"FECAESolicitar"}},
		{"erp", []string{"20111111112"}, []string{"1"}, []string{"issue"}},
	},
}

// allows is the oracle: whether a record's request may be sent by the table that it names.
func allows(t *testing.T, table string, r *audit.Record) bool {
	t.Helper()
	for _, rows := range campaignTables {
		if strings.Count(table, "\n") != len(rows) {
			continue
		}
		for _, row := range rows {
			if row.user != r.ClientIdentity {
				continue
			}
			word := map[string]string{"FECAESolicitar": "issue", "FECompConsultar": "query", "FEParamGetTiposCbte": "tables"}[r.Operation]
			return slices.Contains(row.cuits, r.Cuit.String()) &&
				slices.ContainsFunc(row.may, func(may string) bool { return may == "*" || may == word || may == r.Operation }) &&
				(len(row.points) == 0 || word == "tables" || slices.Contains(row.points, strconv.Itoa(int(r.PtoVta))))
		}
		return false
	}
	t.Fatalf("an unknown table:\n%s", table)
	return false
}

// TestNoForbiddenRequestReachesTheService: four users in three forms send what they may and what they may not, again
// and again, while the table changes and answers are lost. Each record agrees with an oracle by the table that it
// names, and the service gets only what the trail has as sent.
//
//	FIELATO_TEST_LONG=20 go test ./caddymodule/gateway -run NoForbiddenRequest -v
func TestNoForbiddenRequestReachesTheService(t *testing.T) {
	var hits atomic.Int64
	var mu sync.Mutex
	got := map[string]int{} // by issuer and point of sale of an invoice
	stub := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") {
			mu.Lock()
			got[seriesIn(string(body))]++
			mu.Unlock()
		}
		if hits.Add(1)%5 == 0 {
			caddytest.HangUp("")(w, r)
			return
		}
		caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`)(w, r)
	})
	s := caddytest.NewSite(t)
	users := []string{"shop", "erp", "reports", "mallory"}
	load := func(table int) {
		options := []string{"recover within 200ms", "replay on", "upstream_timeout 5s", "breaker off"}
		for _, row := range campaignTables[table] {
			options = append(options, row.String())
		}
		s.Load(strings.Replace(s.Config(s.WithAudit(options...), caddytest.Accounts(caddytest.ProxyTo(stub.URL), users...)), "admin off", "admin off\nlog {\noutput discard\n}", 1))
	}
	load(0)
	const workers = 6
	requests := testrun.Size(t, 40, 250)
	answered := make(chan struct{}, workers*requests)
	var sending sync.WaitGroup
	var denied, told atomic.Int64
	for worker := range workers {
		random := rand.New(rand.NewPCG(36, uint64(worker)))
		sending.Go(func() {
			for range requests {
				operation, body := campaignRequest(random)
				answer := as(t, s, pick(random, users), pick(random, []soap.Version{0, soap.V11, soap.V12}), operation, body)
				answered <- struct{}{}
				if strings.Contains(string(answer.Body), "http.") {
					denied.Add(1)
					if strings.Contains(string(answer.Body), "CAE\":\"") || answer.Header.Get("Wsfev1-Outcome") == "replayed" {
						told.Add(1)
					}
				}
			}
		})
	}
	var reloading sync.WaitGroup
	reloading.Go(func() {
		for n := 1; ; n++ {
			for range 15 {
				if _, more := <-answered; !more {
					return
				}
			}
			load(n % 2)
		}
	})
	sending.Wait()
	close(answered)
	reloading.Wait()
	records := s.Records()
	tables, sent := map[string]string{}, map[string]int{}
	for _, r := range records {
		if r.Outcome == audit.AccessClients {
			tables[r.Address()] = string(r.Request)
		}
	}
	right, wrong := 0, 0
	for _, r := range records {
		if r.ClientTable == "" || r.Operation == "" {
			continue
		}
		table, known := tables[r.ClientTable]
		if !known {
			t.Fatalf("record %s names the table %s, which is none", r.Address(), r.ClientTable)
		}
		refused := r.Decision == audit.DecisionRefuse && r.Status == http.StatusForbidden
		if may := allows(t, table, r); may == refused || !may && r.Upstream != "" {
			t.Errorf("record %s of %s, %s for %s point %d: %s %d, and the oracle says %v by\n%s", r.Address(), r.ClientIdentity, r.Operation, r.Cuit, r.PtoVta, r.Decision, r.Status, may, table)
		} else if may {
			right++
		} else {
			wrong++
		}
		if r.Kind == audit.KindIntent && r.Operation == "FECAESolicitar" {
			sent[fmt.Sprint(r.Cuit, " ", r.PtoVta)]++
		}
	}
	for series, n := range got {
		if n > sent[series] {
			t.Errorf("the service got %d invoices of %s, the trail has %d", n, series, sent[series])
		}
	}
	if told.Load() > 0 || min(right, wrong) < requests/2 || len(tables) < 2 {
		t.Errorf("%d refusals told something; %d right and %d wrong records by %d tables", told.Load(), right, wrong, len(tables))
	}
	t.Logf("%d records that may, %d that may not, %d answers of 403, %d tables, %d requests at the service", right, wrong, denied.Load(), len(tables), hits.Load())
}

// campaignRequest returns a request for one of a few issuers and points of sale.
func campaignRequest(random *rand.Rand) (operation, body string) {
	body = strings.Replace(caddytest.Invoice(1+random.IntN(20)), `"PtoVta":1`, `"PtoVta":`+strconv.Itoa(1+random.IntN(3)), 1)
	body = strings.Replace(body, "20111111112", pick(random, []string{"20111111112", "30500010912"}), 1)
	switch random.IntN(4) {
	case 0:
		point := seriesPattern.FindStringSubmatch(body)[2]
		return "FECompConsultar", `{"Auth":` + credentialsIn(body) + `,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":` + point + `}}`
	case 1:
		return "FEParamGetTiposCbte", `{"Auth":` + credentialsIn(body) + `}`
	}
	return "FECAESolicitar", body
}

func pick[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }

var seriesPattern = regexp.MustCompile(`"Cuit":(\d+).*"PtoVta":(\d+)`)

// seriesIn returns issuer and point of sale of an invoice.
func seriesIn(body string) string {
	found := seriesPattern.FindStringSubmatch(body)
	if found == nil {
		return body
	}
	return found[1] + " " + found[2]
}

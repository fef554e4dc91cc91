package trail_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// choosy is a store that takes a batch only where it likes it.
type choosy struct {
	*audittest.Memory
	takes func(audit.Batch) bool
}

// Commit implements audit.Store. The store of a test at hand is locked (disk).
func (m *choosy) Commit(ctx context.Context, batch audit.Batch) error {
	if len(batch.Entries) > 0 && !m.takes(batch) {
		return caddytest.ErrDisk
	}
	return m.Memory.Commit(ctx, batch)
}

// setMood makes the store at hand take what takes says, everything for nil.
func setMood(takes func(audit.Batch) bool) {
	caddytest.Disk.Lock()
	defer caddytest.Disk.Unlock()
	caddytest.Disk.Faulty = nil
	if takes != nil {
		caddytest.Disk.Faulty = &choosy{caddytest.Disk.Memory, takes}
	}
}

// moods are ways in which a store fails.
var moods = map[string]func() func(audit.Batch) bool{
	"never":  func() func(audit.Batch) bool { return nil },
	"always": func() func(audit.Batch) bool { return func(audit.Batch) bool { return false } },
	"now and then": func() func(audit.Batch) bool {
		random := rand.New(rand.NewPCG(caddytest.OnceSeed, 3))
		return func(audit.Batch) bool { return random.IntN(2) == 0 }
	},
	"outcomes alone": func() func(audit.Batch) bool {
		return func(b audit.Batch) bool {
			return !slices.ContainsFunc(b.Entries, func(e audit.Entry) bool { return e.Record.Kind == audit.KindOutcome })
		}
	},
	"intents alone": func() func(audit.Batch) bool {
		return func(b audit.Batch) bool {
			return !slices.ContainsFunc(b.Entries, func(e audit.Entry) bool { return e.Record.Kind == audit.KindIntent })
		}
	},
}

// lossy are the faults by which an answer is lost or late.
var lossy = []string{
	"drop {\n", "hang {\n", "html_502 {\n", "truncate {\n", "not_json {\n", "delay {\n delay fixed 20ms\n",
	"error_500 {\n commit yes\n", "error_501 {\n commit yes\n", "error_502 {\n commit yes\n",
	"drop {\n commit no\n", "hang {\n commit no\n", "html_502 {\n commit no\n", "not_json {\n commit no\n",
	"error_500 {\n", "error_501 {\n", "error_502 {\n", "expired_ticket {\n",
}

// lossyFew are the faults of a campaign that is not long.
var lossyFew = []string{"drop {\n", "html_502 {\n commit no\n", "expired_ticket {\n"}

// TestForwardUnderFaultsOfBoth: the service loses answers and the store fails, in all ways
// together. Clients send the same until they have an answer. Each gets the code that the
// service has, no number is taken twice, and in the end the trail tells of all of it.
//
//	FIELATO_TEST_LONG=2 go test ./caddymodule/internal/trail -run ForwardUnderFaults -v
func TestForwardUnderFaultsOfBoth(t *testing.T) {
	faults := lossyFew[:1]
	switch long := testrun.Factor(t); {
	case long >= 2:
		faults = lossy
	case long > 0:
		faults = lossyFew
	}
	for name, mood := range moods {
		if name == "never" && len(faults) < len(lossy) {
			continue
		}
		for _, fault := range faults {
			t.Run(name+"/"+strings.Join(strings.Fields(fault), " "), func(t *testing.T) {
				next := caddytest.WithFaults(t, "fault "+fault+" operation FECAESolicitar\n count 2\n}", "fault error_501 {\n operation FECompConsultar\n count 2\n}")
				options := caddytest.Exactly
				if strings.HasPrefix(fault, "hang") {
					options = caddytest.Briefly
				}
				s := startForwarding(t, next, options)
				setMood(mood())
				codes := map[int]string{}
				for number := 1; number <= 3; number++ {
					codes[number] = insist(t, s, number)
				}
				for number, code := range codes {
					question := "{" + caddytest.AuthText + fmt.Sprintf(`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":%d,"PtoVta":1}}`, number)
					found := s.Post("FECompConsultar", question)
					for range 2 { // the rest of the fault's count
						if firstErrorOf(found) == "501" {
							found = s.Post("FECompConsultar", question)
						}
					}
					if found.At(t, "/ResultGet/CodAutorizacion") != code {
						t.Errorf("invoice %d: its client was told %s, the service has %s", number, code, found.Body)
					}
				}
				setMood(nil)
				caddytest.Eventually(t, "what is owed is written", func() bool { return s.Metric("wsfev1_audit_pending_outcomes") == "0" })
				wantTold(t, caddytest.Kept(t), codes)
			})
		}
	}
}

// startForwarding runs a gateway with on_failure forward on the store that can be broken.
func startForwarding(t *testing.T, next string, options []string) *caddytest.Site {
	t.Helper()
	s := caddytest.StartFailing(t, "respond 503")
	s.Load(s.Config("audit failing {\n on_failure forward\n}\n"+strings.Join(options, "\n"), next))
	return s
}

// insist sends an invoice until it is authorised, and returns its code.
func insist(t *testing.T, s *caddytest.Site, number int) (code string) {
	t.Helper()
	caddytest.Within(t, time.Minute, fmt.Sprintf("an answer to invoice %d", number), func() bool {
		got := s.Post("FECAESolicitar", caddytest.Invoice(number))
		if got.Status != 200 || firstErrorOf(got) == "600" {
			return false
		}
		if code = got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE"); got.At(t, "/FeCabResp/Resultado") != `"A"` {
			t.Fatalf("invoice %d: %s", number, got.Body)
		}
		return true
	})
	return code
}

func firstErrorOf(r caddytest.Response) string {
	_, code, _ := strings.Cut(string(r.Body), `"Code":`)
	return code[:min(3, len(code))]
}

// wantTold: the trail has each code, and no intent has two outcomes.
func wantTold(t *testing.T, records []*audit.Record, codes map[int]string) {
	t.Helper()
	told, outcomes := map[int]string{}, map[uint64]int{}
	for _, r := range records {
		if r.Kind == audit.KindOutcome {
			if outcomes[r.Intent]++; outcomes[r.Intent] > 1 {
				t.Errorf("intent %d has %d outcomes", r.Intent, outcomes[r.Intent])
			}
		}
		if r.Kind == audit.KindIntent || r.Operation != "FECAESolicitar" {
			continue
		}
		for _, v := range r.Vouchers {
			if v.Code != "" {
				told[int(v.CbteDesde)] = `"` + v.Code + `"`
			}
		}
	}
	for number, code := range codes {
		if told[number] != code {
			t.Errorf("invoice %d: the trail tells of %s, its client has %s", number, told[number], code)
		}
	}
}

// TestForwardAnswersAgainWhatIsOwed: clients that repeat, also after many others, are given
// what they were given, although no record of it could be written. The service would say that
// the number is taken, and they would issue it once more under another one.
func TestForwardAnswersAgainWhatIsOwed(t *testing.T) {
	s := startForwarding(t, caddytest.WithBackend(t), caddytest.Exactly)
	const invoices = 8 // more than a lane remembers by itself
	codes := map[int]string{}
	again := func() {
		t.Helper()
		for number := 1; number <= invoices; number++ {
			got := s.Post("FECAESolicitar", caddytest.Invoice(number))
			if got.Header.Get("Wsfev1-Outcome") != "replayed" || got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE") != codes[number] {
				t.Errorf("invoice %d: %d %v %s, want %s again", number, got.Status, got.Header, got.Body, codes[number])
			}
		}
	}
	caddytest.BreakDisk(true)
	for number := 1; number <= invoices; number++ {
		codes[number] = insist(t, s, number)
	}
	again()
	caddytest.BreakDisk(false)
	caddytest.Eventually(t, "what is owed is written", func() bool { return s.Metric("wsfev1_audit_pending_outcomes") == "0" })
	again()
	wantTold(t, caddytest.Kept(t), codes)
}

// forwardUnknown loses the answer to an invoice, and the first answers to the questions about it.
func forwardUnknown(t *testing.T, number int) *caddytest.Site {
	t.Helper()
	return startForwarding(t, caddytest.WithFaults(t, fmt.Sprintf("fault drop {\n operation FECAESolicitar\n nro %d\n count 1\n}", number),
		"fault error_501 {\n operation FECompConsultar\n count 8\n}"), caddytest.Exactly)
}

// TestForwardSendsNothingWhileSomethingIsUnknown, although what was found out about it cannot
// be written either.
func TestForwardSendsNothingWhileSomethingIsUnknown(t *testing.T) {
	s := forwardUnknown(t, 1)
	caddytest.BreakDisk(true)
	codes := map[int]string{1: insist(t, s, 1)}
	codes[2] = insist(t, s, 2)
	caddytest.BreakDisk(false)
	caddytest.Eventually(t, "what is owed is written", func() bool { return s.Metric("wsfev1_audit_pending_outcomes") == "0" })
	wantTold(t, caddytest.Kept(t), codes)
}

// TestSettlementNamesTheIntentThatWasOwed: it was not in the trail when its answer was lost.
func TestSettlementNamesTheIntentThatWasOwed(t *testing.T) {
	s := forwardUnknown(t, 2)
	insist(t, s, 1)
	caddytest.BreakDisk(true)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.Header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	caddytest.BreakDisk(false)
	caddytest.Eventually(t, "what is owed is written", func() bool { return s.Metric("wsfev1_audit_pending_outcomes") == "0" })
	insist(t, s, 2)
	intent, settled := uint64(0), false
	for _, r := range caddytest.Kept(t) {
		switch r.Kind {
		case audit.KindIntent:
			intent = r.Index
		case audit.KindSettlement:
			if settled = true; r.Intent != intent || r.ID == "" {
				t.Errorf("the settlement is about record %d, the intent is %d", r.Intent, intent)
			}
		}
	}
	if !settled {
		t.Error("nothing was settled")
	}
}

package caddymodule_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/durable"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// TestMetricsPassTheLinter of Prometheus itself: our metrics, not Caddy's and Go's.
func TestMetricsPassTheLinter(t *testing.T) {
	s := caddytest.Start(t, "wsfev1_wsaa\n\t"+caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	problems, err := promlint.New(strings.NewReader(someOfEach(t, s.Scrape()))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "wsfev1_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// someOfEach leaves the first series of each family, and looks itself for one that stands twice: the linter compares
// each series with all others of its family, which are thousands.
func someOfEach(t *testing.T, scraped []byte) string {
	t.Helper()
	var some strings.Builder
	seen, ofFamily := map[string]bool{}, 0
	for line := range strings.Lines(string(scraped)) {
		if strings.HasPrefix(line, "#") {
			ofFamily = 0
		} else {
			series := line[:strings.LastIndex(line, " ")]
			if seen[series] {
				t.Errorf("%s stands twice", series)
			}
			seen[series] = true
			ofFamily++
		}
		if ofFamily <= 100 {
			some.WriteString(line)
		}
	}
	if len(seen) < 1000 {
		t.Errorf("only %d series were looked at", len(seen))
	}
	return some.String()
}

// TestMetricsExplainThemselvesBriefly: a tool shows the help in a line.
func TestMetricsExplainThemselvesBriefly(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	found := 0
	for line := range strings.Lines(string(s.Scrape())) {
		help, ours := strings.CutPrefix(line, "# HELP wsfev1_")
		if !ours {
			continue
		}
		found++
		if name, words := strings.Fields(help)[0], strings.Fields(help)[1:]; len(words) > 30 {
			t.Errorf("wsfev1_%s has %d words: %s", name, len(words), strings.Join(words, " "))
		}
	}
	if found < 30 {
		t.Errorf("%d metrics", found)
	}
}

// freshMetrics names the file into which the test process of
// TestEveryLabelIsThereFromTheStart writes its metrics.
const freshMetrics = "FIELATO_TEST_FRESH_METRICS"

// TestMetricsOfAFreshProcess does nothing by itself; see
// TestEveryLabelIsThereFromTheStart.
func TestMetricsOfAFreshProcess(t *testing.T) {
	file := os.Getenv(freshMetrics)
	if file == "" {
		return
	}
	if err := os.WriteFile(file, caddytest.Start(t, "wsfev1_wsaa\n\t"+caddytest.WithBackend(t)).Scrape(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEveryLabelIsThereFromTheStart, with 0: a dashboard shows zeros and not gaps,
// and a rate sees the first of a kind. It takes a process that has served nothing.
func TestEveryLabelIsThereFromTheStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "metrics")
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMetricsOfAFreshProcess$")
	process.Env = append(os.Environ(), freshMetrics+"="+file)
	if out, err := process.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "wsfev1_") && !strings.Contains(line, "_bucket{") && !strings.Contains(line, "_sum") {
			series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			got[series] = value
		}
	}
	for _, series := range vocabulary() {
		// The scrape itself is no exchange; the first checkpoint is no record.
		if got[series] != "0" {
			t.Errorf("%s is %q, want 0", series, got[series])
		}
		delete(got, series)
	}
	for _, series := range neverZero() {
		if value := got[series]; value == "" || value == "0" {
			t.Errorf("%s is %q, want a value from the start", series, value)
		}
		delete(got, series)
	}
	for series := range got {
		t.Errorf("%s is not in the vocabulary", series)
	}
}

// neverZero lists the series that have another value than 0 from the start.
func neverZero() []string {
	digest := sha256.New()
	for _, rule := range rules.Catalogue() {
		fmt.Fprintf(digest, "%q\n", fmt.Sprintf("%+v", rule))
	}
	series := []string{
		"wsfev1_audit_checkpoint_timestamp_seconds",
		fmt.Sprintf(`wsfev1_build_info{catalogue="%x",goversion="%s",version="(devel)"}`, digest.Sum(nil)[:4], runtime.Version()),
		`wsfev1_in_flight_limit{kind="issuing"}`, `wsfev1_in_flight_limit{kind="tables"}`, `wsfev1_in_flight_limit{kind="queries"}`,
	}
	if _, tells := durable.FreeSpace("."); tells {
		series = append(series, "wsfev1_audit_disk_free_bytes")
	}
	return append(series, ruleBegins(false)...)
}

// ruleBegins lists the countdowns of announced rules, those that have ended or the others.
func ruleBegins(ended bool) (series []string) {
	for _, c := range rules.Changes() {
		if (c.In(time.Now()) == 0) == ended {
			series = append(series, fmt.Sprintf(`wsfev1_rule_begins_in_seconds{code="%d"}`, c.Code))
		}
	}
	return series
}

// vocabulary lists every series that may be there, written out from the
// documentation of the metrics.
func vocabulary() []string {
	outcomes := strings.Fields("approved observed partial rejected answered upstream_error inadmissible malformed refused" +
		" unrecorded not_sent unknown recovered not_issued replayed cached conflict busy unsettled outage")
	series := []string{
		"wsfev1_audit_append_duration_seconds_count", "wsfev1_recovery_duration_seconds_count", "wsfev1_audit_pending_outcomes", "wsfev1_audit_open_intents", "wsfev1_breaker_open",
		"wsfev1_audit_unrecorded_total", "wsfev1_audit_lost_records_total", "wsfev1_panics_total",
		"wsfev1_backend_clock_offset_seconds", "wsfev1_backend_faults_active",
		"wsfev1_audit_tree_size", "wsfev1_audit_queue_records", "wsfev1_unknown_outcomes",
		"wsfev1_series_waiting", "wsfev1_series_wait_duration_seconds_count",
		`wsfev1_in_flight{kind="issuing"}`, `wsfev1_in_flight{kind="tables"}`, `wsfev1_in_flight{kind="queries"}`,
		`wsfev1_outages{scope="everything"}`, `wsfev1_outages{scope="changes"}`,
		`wsfev1_service_down{class="network"}`, `wsfev1_service_down{class="service"}`,
		`wsfev1_service_codes_total{code="other"}`,
		`wsfev1_audit_records_total{result="written"}`, `wsfev1_audit_records_total{result="failed"}`,
	}
	series = append(series, ruleBegins(true)...)
	for event := range strings.FieldsSeq("logged_in login_failed asked adopted ticket_refused store_failed clock_off unrepresented panicked") {
		series = append(series, `wsfev1_kept_ticket_events_total{event="`+event+`"}`)
	}
	logins := "granted Client.NoSOAPAction Server.userException" +
		" cms.bad.base64 cms.bad cms.cert.notFound cms.sign.invalid cms.cert.invalid cms.cert.expired cms.cert.untrusted" +
		" xml.bad xml.version.notSupported xml.source.invalid xml.destination.invalid" +
		" xml.generationTime.invalid xml.expirationTime.expired xml.expirationTime.invalid" +
		" wsn.notFound coe.notAuthorized coe.alreadyAuthenticated wsn.unavailable wsaa.unavailable wsaa.internalError"
	for result := range strings.FieldsSeq(logins) {
		series = append(series, `wsfev1_wsaa_logins_total{result="`+result+`"}`)
	}
	for _, class := range []string{"client", "gateway", "network", "service", "credentials", "business"} {
		series = append(series, `wsfev1_failures_total{class="`+class+`"}`)
	}
	for _, result := range []string{"recovered", "not_issued", "different", "undecided"} {
		series = append(series, `wsfev1_recoveries_total{result="`+result+`"}`)
	}
	for _, kind := range []string{"event", "code", "member"} {
		series = append(series, `wsfev1_service_notices_total{kind="`+kind+`"}`)
	}
	for operation := range caddytest.AnswerTable {
		if !strings.HasPrefix(operation, "FEParamGet") && operation != "FECompTotXRequest" {
			continue
		}
		series = append(series, `wsfev1_table_changes_total{operation="`+operation+`"}`)
		for _, result := range []string{"fresh", "joined", "stale", "fetched"} {
			series = append(series, `wsfev1_cache_requests_total{operation="`+operation+`",result="`+result+`"}`)
		}
	}
	for table := range strings.FieldsSeq("FEParamGetTiposCbte FEParamGetTiposConcepto FEParamGetTiposDoc FEParamGetTiposIva FEParamGetTiposMonedas FEParamGetTiposOpcional FEParamGetTiposTributos FEParamGetTiposPaises FEParamGetCondicionIvaReceptor") {
		series = append(series, `wsfev1_table_differences_total{operation="`+table+`"}`)
	}
	for _, kind := range []string{"issuing", "tables", "queries", "bodies", "answers"} {
		series = append(series, `wsfev1_in_flight_ratio{kind="`+kind+`"}`)
	}
	for _, kind := range []string{"commit", "disk", "replica", "recovery"} {
		series = append(series, `wsfev1_audit_hazards{kind="`+kind+`"}`)
	}
	for _, result := range []string{"kept", "failed", "unsound"} {
		series = append(series, `wsfev1_audit_checkpoint_posts_total{result="`+result+`"}`)
	}
	for _, result := range []string{"stamped", "unreachable", "refused", "invalid", "failed"} {
		series = append(series, `wsfev1_audit_timestamp_requests_total{result="`+result+`"}`)
	}
	faults := "drop hang html_502 truncate not_json delay error_500 error_501 error_502 expired_ticket dummy_only slow_tables"
	for kind := range strings.FieldsSeq(faults) {
		series = append(series, `wsfev1_backend_faults_injected_total{kind="`+kind+`"}`)
	}
	operations := []string{"unknown"}
	for operation := range caddytest.AnswerTable {
		operations = append(operations, operation)
	}
	for _, operation := range operations {
		for _, outcome := range outcomes {
			series = append(series, `wsfev1_exchanges_total{operation="`+operation+`",outcome="`+outcome+`"}`)
		}
		series = append(series, `wsfev1_exchange_duration_seconds_count{operation="`+operation+`",sent="true"}`,
			`wsfev1_exchange_duration_seconds_count{operation="`+operation+`",sent="false"}`,
			`wsfev1_upstream_duration_seconds_count{operation="`+operation+`"}`)
	}
	codes := append(validate.ShapeCodes(), "answer.mismatch")
	for _, rule := range rules.Catalogue() {
		series = append(series, `wsfev1_service_codes_total{code="`+strconv.Itoa(int(rule.Code))+`"}`)
		if rule.DecidedAt == rules.Edge {
			codes = append(codes, strconv.Itoa(int(rule.Code)))
			for _, who := range []string{`gateway="found",upstream="found"`, `gateway="found",upstream="absent"`, `gateway="absent",upstream="found"`} {
				series = append(series, `wsfev1_rule_agreement_total{code="`+strconv.Itoa(int(rule.Code))+`",`+who+`}`)
			}
		}
	}
	codes = append(codes, "600", "fill.CondicionIVAReceptorId", "fill.unfit")
	for _, code := range codes {
		for _, action := range []string{"refuse", "observe"} {
			series = append(series, `wsfev1_findings_total{action="`+action+`",code="`+code+`"}`)
		}
	}
	types := []string{"other"}
	for _, t := range wsfev1.VoucherTypes() {
		types = append(types, strconv.Itoa(int(t)))
	}
	for _, t := range types {
		for _, resultado := range []string{"A", "R"} {
			series = append(series, `wsfev1_vouchers_total{cbte_tipo="`+t+`",resultado="`+resultado+`"}`)
		}
	}
	return series
}

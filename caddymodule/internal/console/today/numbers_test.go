package today_test

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/console/today"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/caddymodule/internal/tally/tallytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

var (
	plotData  = regexp.MustCompile(`<script type="application/json" id="plot-data">(.*)</script>`)
	totalText = regexp.MustCompile(`<strong class="number">(\d+)</strong> intercambio`)
	seriesRow = regexp.MustCompile(`data-label="Emisor" class="number">([0-9-]+)</td><td data-label="Comprobante">Factura B(?: <small class="hint">([^<]*)</small>)?</td><td data-label="Último" class="number"><a [^>]*>(\d+)-(\d+)</a>.*data-label="Emitidos" class="number">(\d+)</td>.*data-label="Saltos de numeración" class="number">(?:<span[^>]*>faltan? )?(\d+)`)
	needRow   = regexp.MustCompile(`<li class="(?:open|bad)"><strong class="number">(\d+)</strong> <bdi>([^<]*)</bdi>`)
	// refusalText is what needRow has of a refusal: how many requests, the issuer and the code.
	refusalText = regexp.MustCompile(`^(comprobante|pedido)s? rechazados?(?: por lo mismo)?(?: \(en (\d+) pedidos\))? · ([0-9-]+) · ([^:]+)`)
	remarkRow   = regexp.MustCompile(`<li>(\d+) ([^<]*)`)
	logRow      = regexp.MustCompile(`data-label="[^"]*">([ab])</td><td data-label="[^"]*" class="number">(\d+)</td>`)
	turnedAway  = regexp.MustCompile(`>(\d+) pedidos? rechazados? o no atendidos?<`)
)

// services are the services as the page names them.
var services = map[string]audit.Environment{
	"homologación, sin validez fiscal": audit.EnvironmentTesting, "servicio incorporado, sin validez fiscal": audit.EnvironmentBuiltIn, "producción": audit.EnvironmentProduction,
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err) // the patterns have digits there
	}
	return n
}

// shownOn reads the numbers off a page.
func shownOn(t *testing.T, page string) (s tallytest.Shown) {
	t.Helper()
	s = tallytest.Shown{Refusals: map[string][2]int{}, Series: map[tally.SeriesKey][3]int64{}}
	if found := plotData.FindStringSubmatch(page); found != nil {
		var plot struct{ Counts [4][24]int }
		if err := json.Unmarshal([]byte(found[1]), &plot, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		for class, hours := range plot.Counts {
			for h, n := range hours {
				s.Hours[h][class] = n
			}
		}
		s.Total = number(totalText.FindStringSubmatch(page)[1])
	}
	for _, row := range needRow.FindAllStringSubmatch(page, -1) {
		switch n, text := number(row[1]), row[2]; {
		case strings.Contains(text, "sin resultado registrado"):
			s.Open[tally.Unanswered] = n
		case strings.Contains(text, "conflicto"):
			s.Conflicts = n
		case strings.HasPrefix(text, "pedido de emisión del") || strings.HasPrefix(text, "pedidos de emisión de los"):
			s.Open[tally.Unknown] = n
		case strings.Contains(text, "contestó con una falla"):
			s.Open[tally.Failed] = n
		default:
			found := refusalText.FindStringSubmatch(text)
			if found == nil {
				t.Fatalf("%q is no refusal", text)
			}
			of := [2]int{n, n}
			if found[2] != "" {
				of[1] = number(found[2])
			}
			if found[1] == "pedido" { // they named no invoice
				of[0] = 0
			}
			s.Refusals[strings.ReplaceAll(found[3], "-", "")+" "+found[4]] = of
		}
	}
	for _, row := range remarkRow.FindAllStringSubmatch(page, -1) {
		for text, n := range map[string]*int{"servicio de prueba incorporado": &s.BuiltIn, "en algún intento": &s.Issued, "sin respuesta; una consulta": &s.Queries} {
			if strings.Contains(row[2], text) {
				*n = number(row[1])
			}
		}
	}
	for _, row := range seriesRow.FindAllStringSubmatch(page, -1) {
		cuit, err := wsfev1.ParseCUIT(strings.ReplaceAll(row[1], "-", ""))
		if err != nil {
			t.Fatal(err)
		}
		s.Series[tally.SeriesKey{Environment: services[row[2]], Cuit: cuit, PtoVta: int32(number(row[3])), Tipo: 6}] = [3]int64{int64(number(row[4])), int64(number(row[5])), int64(number(row[6]))}
	}
	return s
}

// withoutName takes production from the names of numberings whose name no other service has: the page does not say it.
func withoutName(all map[tally.SeriesKey][3]int64) map[tally.SeriesKey][3]int64 {
	shown := map[tally.SeriesKey][3]int64{}
	for key, numbers := range all {
		alone := key.Environment == audit.EnvironmentProduction
		for other := range all {
			of := other.Environment
			other.Environment = key.Environment
			alone = alone && (other != key || of == key.Environment)
		}
		if alone {
			key.Environment = ""
		}
		shown[key] = numbers
	}
	return shown
}

// TestEachNumberIsTheOneOfANaiveReading of all records, as the page shows it: with retries, settlements in any log, lots,
// repeats and purges, whenever the page was read before.
func TestEachNumberIsTheOneOfANaiveReading(t *testing.T) {
	for seed := range uint64(testrun.Size(t, 8, 300)) {
		r := tallytest.NewTrail(t, seed)
		now := tallytest.Day.AddDate(0, 0, 2)
		s := &site.Site{
			Base: "/consola", Logger: zap.NewNop(), Now: func() time.Time { return now },
			Open: func(_ context.Context, do func([]site.Source) error) error {
				return do([]site.Source{{Store: r.Store, Logs: r.Logs}})
			},
		}
		s.Prepare()
		today.Add(s)
		for round := range 3 {
			for range 1 + r.Random.IntN(80) {
				r.Step()
			}
			if r.Random.IntN(4) == 0 {
				r.Purge()
			}
			now = now.Add(time.Hour) // what was just counted is not counted anew
			page := get(t, s, "/?day="+tallytest.Day.Format(time.DateOnly), "es").Body.String()
			got := shownOn(t, page)
			want := tallytest.DayOf(tallytest.Read(t, r.Store, r.Logs), tallytest.Day, func(wsfev1.CUIT) bool { return true })
			for name, of := range want.Refusals {
				want.Refusals[name] = [2]int{of[0], max(of[0], of[1])} // fewer requests than invoices are not told
			}
			turned := turnedAway.FindStringSubmatch(page)
			if needs := needRow.MatchString(page); !needs && turned != nil {
				got.TurnedAway = number(turned[1])
			} else if needs { // what needs a person stands in its place
				got.TurnedAway = want.TurnedAway
			}
			want.Series = withoutName(want.Series)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, round %d:\n%+v\nwant\n%+v\n%s", seed, round, got, want, page)
			}
			if isGreen := strings.Contains(page, "✓"); isGreen != (want.TurnedAway == 0) {
				t.Errorf("seed %d, round %d: green is %v with %d turned away", seed, round, isGreen, want.TurnedAway)
			}
			for _, row := range logRow.FindAllStringSubmatch(page, -1) {
				if head, err := r.Store.Head(t.Context(), row[1]); err != nil || row[2] != fmt.Sprint(head.Size) {
					t.Errorf("seed %d, round %d: log %s has %s records, want %d (%v)", seed, round, row[1], row[2], head.Size, err)
				}
			}
		}
	}
}

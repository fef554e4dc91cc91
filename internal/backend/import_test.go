package backend_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/wsfev1"
)

// sampleLines are the lines of the sample: head, CAEA, declaration, three invoices, end.
func sampleLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

const (
	headAt = iota
	caeaAt
	declaredAt
	firstAt
	secondAt
	reportedAt
	endAt
)

// TestAHostileImportIsRefusedAndLeavesNothing: each change of the sample is refused,
// and the line named.
func TestAHostileImportIsRefusedAndLeavesNothing(t *testing.T) {
	swap := func(at int, old, instead string) func([]string) []string {
		return func(lines []string) []string {
			if !strings.Contains(lines[at], old) {
				t.Fatalf("line %d has no %s", at+1, old)
			}
			lines[at] = strings.Replace(lines[at], old, instead, 1)
			return lines
		}
	}
	for name, c := range map[string]struct {
		change func([]string) []string
		want   string
		is     error
	}{
		"nothing":          {func([]string) []string { return nil }, "line 0: the last line is not", nil},
		"no head":          {func(l []string) []string { return l[1:] }, `line 1: it has the kind "caea"`, nil},
		"two heads":        {func(l []string) []string { return slices.Insert(l, 1, l[0]) }, "line 2: it is a second head", nil},
		"another form":     {swap(headAt, "fielato-ledger", "x"), `line 1: the form is "x"`, nil},
		"newer version":    {swap(headAt, `"version":1`, `"version":2`), "line 1: the form has version 2", nil},
		"no end":           {func(l []string) []string { return l[:endAt] }, `line 6: the last line is not of kind "end"`, nil},
		"cut line":         {func(l []string) []string { return append(l[:secondAt], l[secondAt][:50]) }, "line 5: ", nil},
		"after the end":    {func(l []string) []string { return append(l, "\n"+l[1]) }, "line 8: it comes after", nil},
		"line missing":     {func(l []string) []string { return slices.Delete(l, reportedAt, reportedAt+1) }, "line 6: it counts invoices 3, CAEAs 1, declarations without movement 1, and there were invoices 2", nil},
		"foreign kind":     {swap(caeaAt, `"kind":"caea"`, `"kind":"series"`), `line 2: it has the kind "series"`, nil},
		"no kind":          {swap(caeaAt, `"kind":"caea",`, ``), `line 2: it has the kind ""`, nil},
		"unknown member":   {swap(caeaAt, `"Orden"`, `"More":1,"Orden"`), "line 2: ", nil},
		"other case":       {swap(caeaAt, `"Orden"`, `"orden"`), "line 2: ", nil},
		"member twice":     {swap(caeaAt, `"Orden":1`, `"Orden":1,"Orden":1`), "line 2: ", nil},
		"two objects":      {swap(caeaAt, "}\n", "}{}\n"), "line 2: ", nil},
		"no JSON":          {swap(caeaAt, `{"kind"`, `kind`), "line 2: ", nil},
		"not UTF-8":        {swap(secondAt, "¿", "\xff"), "line 5: ", nil},
		"number twice":     {func(l []string) []string { return slices.Insert(l, secondAt, l[firstAt]) }, "line 5: ", backend.ErrSequence},
		"gap":              {swap(secondAt, `"CbteDesde":2,`, `"CbteDesde":3,`), "line 5: CbteDesde, CbteHasta and CbteFch must be", nil},
		"gap in both":      {func(l []string) []string { return slices.Delete(l, firstAt, secondAt) }, "line 4: not the next number of its series: 2 to 40", backend.ErrSequence},
		"two of one order": {func(l []string) []string { l[firstAt], l[secondAt] = l[secondAt], l[firstAt]; return l }, "line 4: ", backend.ErrSequence},
		"date goes back": {func(l []string) []string {
			l[firstAt] = strings.ReplaceAll(l[firstAt], "20261105", "20261107")
			return l
		}, "line 5: ", backend.ErrSequence},
		"no date":               {swap(firstAt, `"CbteFch":"20261105"`, `"CbteFch":"20261131"`), "line 4: CbteFch is missing", nil},
		"date left out":         {swap(firstAt, `"FchVto":"20261115",`, ``), "line 4: FchVto is missing", nil},
		"no moment":             {swap(firstAt, `"FchProceso":"20261105103015"`, `"FchProceso":"2026"`), "line 4: FchProceso is missing", nil},
		"no issuer":             {swap(firstAt, `"Cuit":20267565393`, `"Cuit":0`), "line 4: Cuit is missing", nil},
		"no point of sale":      {swap(firstAt, `"PtoVta":1`, `"PtoVta":-1`), "line 4: PtoVta is missing", nil},
		"no type":               {swap(firstAt, `"CbteTipo":6`, `"CbteTipo":0`), "line 4: CbteTipo is missing", nil},
		"another EmisionTipo":   {swap(firstAt, `"CAE"`, `"CAI"`), "line 4: EmisionTipo is missing", nil},
		"short code":            {swap(firstAt, "96450000000020", "9645000000002"), "line 4: CodAutorizacion is missing", nil},
		"huge serial":           {swap(firstAt, "96450000000020", hugeSerial(t)), "line 4: CodAutorizacion " + hugeSerial(t), nil},
		"no detail":             {swap(firstAt, `,"Detail"`, `,"Observaciones"`), "line 4: Detail is missing", nil},
		"detail null":           {swap(firstAt, `"Detail":{`, `"Detail":null,"x":{`), "line 4: ", nil},
		"foreign detail":        {swap(firstAt, `"ImpTotal":0.10`, `"Total":0.10`), "line 4: Detail: ", nil},
		"an amount of text":     {swap(firstAt, `"ImpTotal":0.10`, `"ImpTotal":"0.10"`), "line 4: Detail: ", nil},
		"another detail's date": {swap(firstAt, `"CbteFch":"20261105","ImpTotal"`, `"CbteFch":"20261104","ImpTotal"`), "line 4: CbteDesde, CbteHasta and", nil},
		"observations null":     {swap(secondAt, `"Observaciones":{"Obs"`, `"Observaciones":null,"x":{"Obs"`), "line 5: ", nil},
		"observations a list":   {swap(firstAt, `"Detail"`, `"Observaciones":[],"Detail"`), "line 4: Observaciones is missing or is not an object", nil},
		"CAEA twice":            {func(l []string) []string { return slices.Insert(l, declaredAt, l[caeaAt]) }, "line 3: the CAEA 46450000000012", backend.ErrExists},
		"no month":              {swap(caeaAt, `"Periodo":202611`, `"Periodo":202613`), "line 2: Periodo is missing", nil},
		"no half":               {swap(caeaAt, `"Orden":1`, `"Orden":3`), "line 2: Orden is missing", nil},
		"no deadline":           {swap(caeaAt, `"FchTopeInf":"20261123"`, `"FchTopeInf":""`), "line 2: FchTopeInf is missing", nil},
		"declared twice":        {func(l []string) []string { return slices.Insert(l, firstAt, l[declaredAt]) }, "line 4: the declaration", backend.ErrExists},
		"declared of no point":  {swap(declaredAt, `"PtoVta":4`, `"PtoVta":0`), "line 3: PtoVta is missing", nil},
		"no possible issuer":    {swap(firstAt, `"Cuit":20267565393`, `"Cuit":-20267565393`), "line 4: Cuit is missing or is not a positive", nil},
		"an issuer of 12":       {swap(caeaAt, `"Cuit":20267565393`, `"Cuit":120267565393`), "line 2: Cuit is missing or is not a positive", nil},
		"a CAE for two numbers": {swap(secondAt, "96450000000032", "96450000000020"), "line 5: CodAutorizacion 96450000000020 is that of line 4", backend.ErrExists},
		"a CAE for two series": {func(l []string) []string {
			return slices.Insert(l, reportedAt, strings.ReplaceAll(l[firstAt], `"PtoVta":1`, `"PtoVta":2`))
		}, "line 6: CodAutorizacion 96450000000020 is that of line 4", backend.ErrExists},
		"a CAE for two issuers": {func(l []string) []string {
			return slices.Insert(l, reportedAt, strings.ReplaceAll(l[firstAt], "20267565393", "30500010912"))
		}, "line 6: CodAutorizacion 96450000000020 is that of line 4", backend.ErrExists},
		"a CAEA for a CAE": {swap(firstAt, "96450000000020", "46450000000012"), "line 4: CodAutorizacion 46450000000012 is that of line 2", backend.ErrExists},
		"a CAEA twice, another fortnight": {func(l []string) []string {
			return slices.Insert(l, declaredAt, strings.NewReplacer(`"Orden":1`, `"Orden":2`, "20261101\"", "20261116\"", "20261115", "20261130", "20261123", "20261208").Replace(l[caeaAt]))
		}, "line 3: the CAEA 46450000000012", backend.ErrExists},
		"ranges that overlap": {func(l []string) []string {
			l[firstAt] = strings.ReplaceAll(l[firstAt], `"CbteHasta":1,`, `"CbteHasta":2,`)
			return l
		}, "line 5: not the next number of its series: 2 to 40", backend.ErrSequence},
		"a range that ends before it begins": {swap(secondAt, `"CbteHasta":40,"CbteFch":"20261106","EmisionTipo"`, `"CbteHasta":1,"CbteFch":"20261106","EmisionTipo"`), "line 5: CbteDesde, CbteHasta and", nil},
		"informed under no CAEA":             {swap(reportedAt, "46450000000012", "46450000000024"), "line 6: CodAutorizacion 46450000000024 is that of no line before", nil},
		"informed by another issuer":         {swap(reportedAt, "20267565393", "30500010912"), "line 6: CodAutorizacion 46450000000012 is the CAEA of another issuer", nil},
		"declared under no CAEA":             {swap(declaredAt, "46450000000012", "46450000000024"), "line 3: CAEA 46450000000024 is that of no line before", nil},
		"another end of the CAEA":            {swap(reportedAt, `"FchVto":"20261115"`, `"FchVto":"20261116"`), "line 6: FchVto is not 20261115", nil},
		"a CAE that ends before its date":    {swap(firstAt, `"FchVto":"20261115"`, `"FchVto":"20261104"`), "line 4: FchVto is before CbteFch", nil},
		"days of another fortnight":          {swap(caeaAt, `"FchVigDesde":"20261101"`, `"FchVigDesde":"20261102"`), "line 2: FchVigDesde and FchVigHasta are not 20261101 and 20261115", nil},
		"a deadline within the fortnight":    {swap(caeaAt, `"FchTopeInf":"20261123"`, `"FchTopeInf":"20261114"`), "line 2: FchTopeInf is before FchVigHasta", nil},
		"a line of 64 MiB":                   {swap(secondAt, `"Msg":"`, `"Msg":"`+strings.Repeat("x", 64<<20)), "line 5: it is longer than 16 MiB", nil},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := newLedger(t)
			empty := export(t, ledger)
			done, err := importText(ledger, strings.Join(c.change(sampleLines(t)), ""))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "import: nothing was imported: line ") {
				t.Errorf("%v, want %s", err, c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			if got := export(t, ledger); got != empty || done != (backend.Contents{}) {
				t.Errorf("said %v and left\n%s", done, got)
			}
		})
	}
}

// hugeSerial is a code of this package that leaves no room for others.
func hugeSerial(t *testing.T) string {
	for digit := range 10 {
		code := fmt.Sprintf("9645%09d%d", 999_999_998, digit)
		if _, simulated := backend.AuthorisationCode(code); simulated {
			return code
		}
	}
	t.Fatal("no digit checks the code")
	return ""
}

func TestAnImportFitsWhereNothingIsInItsWay(t *testing.T) {
	ledger := newLedger(t)
	sample(t, ledger)
	before := export(t, ledger)
	if _, err := importText(ledger, before); !errors.Is(err, backend.ErrExists) || export(t, ledger) != before {
		t.Errorf("a second time: %v", err)
	}
	// The same issuer's next invoices, another issuer, blank ends of lines.
	lines := sampleLines(t)
	next := strings.NewReplacer(`"CbteDesde":1,"CbteHasta":1,`, `"CbteDesde":41,"CbteHasta":41,`, "20261105", "20261106", "96450000000020", "86450000000020").Replace(lines[firstAt])
	other := strings.NewReplacer("20267565393", "30500010912", "96450000000020", "86450000000021").Replace(lines[firstAt])
	done, err := importText(ledger, lines[headAt]+strings.TrimSpace(next)+" \r\n"+other+`{"kind":"end"}`)
	if err != nil || done != (backend.Contents{Invoices: 2}) {
		t.Fatalf("%v, %v", done, err)
	}
	for series, want := range map[backend.Series]int64{
		{Cuit: issuer, PtoVta: 1, CbteTipo: 6}: 41, {Cuit: 30500010912, PtoVta: 1, CbteTipo: 6}: 1, {Cuit: issuer, PtoVta: 3, CbteTipo: 6}: 1,
	} {
		err := ledger.View(t.Context(), func(r backend.Reader) error {
			state, err := r.Series(t.Context(), series)
			if state.Last != want {
				t.Errorf("series %v ends at %d, want %d", series, state.Last, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestACAEOfTheLedgerIsNotImportedForAnother, whichever series and issuer it is for.
func TestACAEOfTheLedgerIsNotImportedForAnother(t *testing.T) {
	ledger := newLedger(t)
	sample(t, ledger)
	before, lines := export(t, ledger), sampleLines(t)
	for name, change := range map[string]*strings.Replacer{
		"the next number": strings.NewReplacer(`"CbteDesde":1,"CbteHasta":1,`, `"CbteDesde":41,"CbteHasta":41,`, "20261105", "20261106"),
		"another series":  strings.NewReplacer(`"PtoVta":1`, `"PtoVta":2`),
		"another issuer":  strings.NewReplacer("20267565393", "30500010912"),
		"a CAEA's digits": strings.NewReplacer(`"PtoVta":1`, `"PtoVta":2`, "96450000000020", "46450000000012"),
	} {
		_, err := importText(ledger, lines[headAt]+change.Replace(lines[firstAt])+`{"kind":"end"}`)
		if !errors.Is(err, backend.ErrExists) || !strings.Contains(err.Error(), "line 2: CodAutorizacion ") {
			t.Errorf("%s: %v", name, err)
		}
		if export(t, ledger) != before {
			t.Errorf("%s: something is left", name)
		}
	}
}

func TestCodesThatWereImportedAreNotGivenAgain(t *testing.T) {
	from, to := newLedger(t), newLedger(t)
	one := func(ledger backend.Ledger, number int64) string {
		t.Helper()
		verdict := wsfev1.VerdictOf(answerOf(t, serviceOn(t, ledger), "FECAESolicitar", lotRequest(issuer, 1, 6, number, 1)))
		if verdict.Resultado != wsfev1.Aprobado {
			t.Fatalf("number %d: %+v", number, verdict)
		}
		return verdict.Invoices[0].Code
	}
	codes := []string{one(from, 1), one(from, 2), one(from, 3)}
	if _, err := importText(to, export(t, from)); err != nil {
		t.Fatal(err)
	}
	codes = append(codes, one(to, 4))
	if err := to.Update(t.Context(), func(tx backend.Tx) error { return tx.Reset(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	codes = append(codes, one(to, 1))
	slices.Sort(codes)
	if len(slices.Compact(slices.Clone(codes))) != 5 || codes[0] == "" {
		t.Errorf("given: %v", codes)
	}
}

// again runs each Update twice, as a store may that has to wait for another one.
type again struct{ backend.Ledger }

var errOnceMore = errors.New("once more")

func (a again) Update(ctx context.Context, fn func(backend.Tx) error) error {
	err := a.Ledger.Update(ctx, func(tx backend.Tx) error { return errors.Join(fn(tx), errOnceMore) })
	if !errors.Is(err, errOnceMore) {
		return err
	}
	return a.Ledger.Update(ctx, fn)
}

func TestAnImportMayRunMoreThanOnce(t *testing.T) {
	from, to := newLedger(t), newLedger(t)
	sample(t, from)
	text := export(t, from)
	reader := bytes.NewReader([]byte("skipped" + text))
	if _, err := reader.Seek(7, 0); err != nil {
		t.Fatal(err)
	}
	done, err := backend.Import(t.Context(), again{to}, reader, nil)
	if err != nil || done != (backend.Contents{Invoices: 3, CAEAs: 1, SinMovimiento: 1}) {
		t.Fatalf("%v, %v", done, err)
	}
	if got := export(t, to); got != text {
		t.Errorf("imported\n%s", got)
	}
}

func TestProgressIsTold(t *testing.T) {
	from, to := newLedger(t), newLedger(t)
	invoices := make([]backend.Invoice, 2500)
	for i := range invoices {
		invoices[i] = issued(int64(i)+1, int64(i)+1, "20261105", fmt.Sprintf("86%012d", i), "")
	}
	err := from.Update(t.Context(), func(tx backend.Tx) error {
		return tx.Append(t.Context(), backend.Series{Cuit: issuer, PtoVta: 1, CbteTipo: 6}, invoices)
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	var told []int64
	tell := func(c backend.Contents) { told = append(told, c.Invoices) }
	if _, err := backend.Export(t.Context(), from, &text, tell); err != nil {
		t.Fatal(err)
	}
	if _, err := backend.Import(t.Context(), to, bytes.NewReader(text.Bytes()), tell); err != nil {
		t.Fatal(err)
	}
	if want := []int64{1000, 2000, 999, 1999}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

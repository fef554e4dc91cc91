package rules_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// tables are the codes that the service's tables name, by operation: the manual's tables
// (docs/sources.md#codes), written out from there. A range means every number in it.
var tables = map[string]string{
	"FECAESolicitar": `10000 10001 10002 10003 10004 10005 10006 10007 10096 10251 10282
		10008 10010-10017 10030 10063 10067 10069 10085 10152 10195 10217 10234-10238 10247-10249 10270-10272 10283 10284
		10031-10033 10035 10036 10049 10037-10039 10119 10239-10243 10245 10246
		10018-10029 10042-10048 10051 10056 10061 10065 10070 10071 10075
		10040 10041 10057-10060 10062 10120-10122 10232 10151 10197-10199 10203-10213
		10052-10055 10064 10066 10068 10076-10084 10086 10088-10092 10094 10095 10097-10099 10110-10118 10123-10132
		10273-10281
		10133-10150 10194
		10153-10178 10180 10181 10183 10184 10186-10190 10192 10193 10196 10214-10216
		10218-10231`,
	"FECAEARegInformativo": `10000-10003 700 1300 701 1444 709 781 703 704 784 711 1416 1433 782 780 705 783 702 1414 1424
		1440-1442 1445 1429 1431 814 815
		713 1403-1405 1421 788 1415 1422 1417-1419 708 1402 1420 1489 1516 816 817 819 827-829 1528 727-729 1411-1413
		1401 726 820-826
		717-719 723 1407 1409 724 1434-1439 1443 715 1427 725 1408 1006 1000 1003 1008 1009 1423 1406 900 905-908 1425 1527
		800 802-805 807 806 812 801 808-811 818 1490-1504 1426 813 1100 1101 1103-1106 1432 1505-1515 1517-1526
		1446 1450-1472 1474-1483 1485-1488 16000-16014`,
	"FECAEASolicitar":                "15000 15001 15003-15006 15008-15012 15014-15018",
	"FECAEAConsultar":                "15004 15005 602",
	"FECAEASinMovimientoInformar":    "1200-1207 1209",
	"FECAEASinMovimientoConsultar":   "10100-10102 10105",
	"FECompUltimoAutorizado":         "11000-11002",
	"FECompConsultar":                "10200-10202 10104 602",
	"FEParamGetCotizacion":           "12000-12002 602",
	"FEParamGetCondicionIvaReceptor": "10244",
	// In each operation that has credentials.
	"": "500-502 600-602",
}

// withdrawn are the numbers that the service never used or uses no more (docs/sources.md#codes).
const withdrawn = `10009 10034 10050 10072-10074 10087 10093 10179 10182 10185 10191 10233 10250 10252-10269`

// numbers writes out the ranges of a list of codes.
func numbers(t *testing.T, list string) []int32 {
	t.Helper()
	var all []int32
	for word := range strings.FieldsSeq(list) {
		first, last, isRange := strings.Cut(word, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, errTo := strconv.Atoi(last)
		if err != nil || errTo != nil || to < from {
			t.Fatalf("%q is no range of codes", word)
		}
		for n := from; n <= to; n++ {
			all = append(all, int32(n))
		}
	}
	return all
}

// tabled returns the codes that the tables name for an operation.
func tabled(t *testing.T, op *wsfev1.Operation) []int32 {
	t.Helper()
	list := tables[op.Name]
	if op.Name != "FEDummy" {
		list += " " + tables[""]
	}
	codes := numbers(t, list)
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestNoCodeOfTheServiceIsMissingOrInvented holds the catalogue against the tables,
// operation by operation, both ways.
func TestNoCodeOfTheServiceIsMissingOrInvented(t *testing.T) {
	catalogue := rules.Catalogue()
	for _, op := range wsfev1.Operations {
		want := tabled(t, op)
		var got []int32
		for _, rule := range catalogue {
			if slices.Contains(rule.Operations, op.Name) {
				got = append(got, rule.Code)
			}
		}
		for _, code := range want {
			if !slices.Contains(got, code) {
				t.Errorf("%s: %d is missing in the catalogue", op.Name, code)
			}
		}
		for _, code := range got {
			if !slices.Contains(want, code) {
				t.Errorf("%s: %d is in no table of the service", op.Name, code)
			}
		}
	}
}

func TestWithdrawnNumbersAreNotInTheCatalogue(t *testing.T) {
	for _, code := range numbers(t, withdrawn) {
		if _, known := rules.RuleByCode(code); known {
			t.Errorf("%d is withdrawn", code)
		}
		for operation, list := range tables {
			if slices.Contains(numbers(t, list), code) {
				t.Errorf("%d is withdrawn, yet in the table of %s", code, operation)
			}
		}
	}
}

// TestHowMuchOfTheServiceIsDecidedAtTheEdge pins the catalogue's figures: how many codes
// each operation has, how many of them are decided here, and how many of those refuse by
// default.
func TestHowMuchOfTheServiceIsDecidedAtTheEdge(t *testing.T) {
	catalogue := rules.Catalogue()
	var b strings.Builder
	write := func(name string, has func(rules.Rule) bool) {
		entries, edge, enforced := 0, 0, 0
		for _, rule := range catalogue {
			if !has(rule) {
				continue
			}
			entries++
			if rule.DecidedAt == rules.Edge {
				edge++
				if rule.Default == validate.Enforce && slices.ContainsFunc(rule.Severities, validate.Severity.Rejects) {
					enforced++
				}
			}
		}
		fmt.Fprintf(&b, "%-32s %3d entries: %3d edge (%3d refuse), %3d state\n", name, entries, edge, enforced, entries-edge)
	}
	for _, op := range wsfev1.Operations {
		write(op.Name, func(r rules.Rule) bool { return slices.Contains(r.Operations, op.Name) })
	}
	write("all", func(rules.Rule) bool { return true })
	validatetest.Golden(t, "coverage.golden", b.String())
}

package backend

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/fielato/fielato/wsfev1"
)

// text returns the text of a scalar as it was written, whatever YAML takes it for: an
// amount must not pass through a float, nor a CBU through a number.
func (f *registerFile) text(at *yaml.Node, wanted string) (string, bool) {
	n := resolveAlias(at)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		f.fault(at, "%s: write %s", shownNode(n), wanted)
		return "", false
	}
	return n.Value, true
}

// readFlag reads true or false.
func readFlag[T any](of func(*T) *bool) func(*registerFile, *yaml.Node, *T) {
	return func(f *registerFile, at *yaml.Node, into *T) {
		const wanted = "true or false"
		switch text, ok := f.text(at, wanted); {
		case !ok:
		case text == "true" || text == "false":
			*of(into) = text == "true"
		default:
			f.fault(at, "%q: write %s", text, wanted)
		}
	}
}

// readNumber reads a whole number of a range.
func readNumber[T any, N ~int | ~int32 | ~int64](low, high int64, of func(*T) *N) func(*registerFile, *yaml.Node, *T) {
	return func(f *registerFile, at *yaml.Node, into *T) {
		wanted := "a number from " + strconv.FormatInt(low, 10) + " to " + strconv.FormatInt(high, 10)
		text, ok := f.text(at, wanted)
		if !ok {
			return
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < low || n > high {
			f.fault(at, "%q: write %s", text, wanted)
			return
		}
		*of(into) = N(n)
	}
}

// readWord reads a text that is one of a few.
func readWord[T any, W ~string](allowed []W, of func(*T) *W) func(*registerFile, *yaml.Node, *T) {
	return func(f *registerFile, at *yaml.Node, into *T) {
		all := make([]string, len(allowed))
		for i, w := range allowed {
			all[i] = string(w)
		}
		wanted := "one of " + strings.Join(all, ", ")
		switch text, ok := f.text(at, wanted); {
		case !ok:
		case slices.Contains(all, text):
			*of(into) = W(text)
		default:
			f.fault(at, "%q: write %s", text, wanted)
		}
	}
}

// readText reads any text.
func readText[T any](of func(*T) *string) func(*registerFile, *yaml.Node, *T) {
	return func(f *registerFile, at *yaml.Node, into *T) {
		if text, ok := f.text(at, "a text"); ok {
			*of(into) = text
		}
	}
}

// readCUIT reads the eleven digits of a CUIT. Whether the check digit is right is for
// the caller: some of a register are wrong on purpose.
func readCUIT[T any](of func(*T) *wsfev1.CUIT) func(*registerFile, *yaml.Node, *T) {
	return func(f *registerFile, at *yaml.Node, into *T) {
		const wanted = "a CUIT: eleven digits, such as 20111111112 or 20-11111111-2"
		text, ok := f.text(at, wanted)
		if !ok {
			return
		}
		cuit, err := wsfev1.ParseCUIT(text)
		if err != nil || cuit < 10_000_000_000 {
			f.fault(at, "%q: write %s", text, wanted)
			return
		}
		*of(into) = cuit
	}
}

// readDay reads a date, yyyymmdd or yyyy-mm-dd.
func readDay[T any](of func(*T) *wsfev1.Date) func(*registerFile, *yaml.Node, *T) {
	return func(f *registerFile, at *yaml.Node, into *T) {
		const wanted = "a day of the calendar as yyyymmdd or yyyy-mm-dd"
		text, ok := f.text(at, wanted)
		if !ok {
			return
		}
		date := wsfev1.Date(text)
		if len(text) == len("yyyy-mm-dd") && text[4] == '-' && text[7] == '-' {
			date = wsfev1.Date(text[:4] + text[5:7] + text[8:])
		}
		if !date.Valid() {
			f.fault(at, "%q: write %s", text, wanted)
			return
		}
		*of(into) = date
	}
}

// readAmount reads an amount to its last digit.
func readAmount[T any](of func(*T) *wsfev1.Amount) func(*registerFile, *yaml.Node, *T) {
	return func(f *registerFile, at *yaml.Node, into *T) {
		const wanted = "an amount in pesos such as 1234.50"
		text, ok := f.text(at, wanted)
		if !ok {
			return
		}
		amount, err := wsfev1.ParseAmount(text)
		if err != nil || !amount.Exact() || amount.Sign() < 0 {
			f.fault(at, "%q: write %s", text, wanted)
			return
		}
		*of(into) = amount
	}
}

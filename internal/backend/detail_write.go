package backend

import (
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// detailWriter appends JSON. Its methods take and return the buffer, so that writing it is not a write of a pointer, which
// costs more than the bytes while the collector marks. The names that they take stand there as they are written: quoted,
// with the colon behind them and with the bracket or the comma before them.
type detailWriter struct {
	// err is the first error: a text that is not UTF-8.
	err error
}

func (*detailWriter) integer(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(b, name...), n, 10)
}

func (w *detailWriter) text(b []byte, name, text string) []byte {
	b = append(b, name...)
	if isPlain(text) {
		return append(append(append(b, '"'), text...), '"')
	}
	b, err := jsontext.AppendQuote(b, text)
	w.err = cmp.Or(w.err, err)
	return b
}

// isPlain reports whether a text stands in JSON as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (w *detailWriter) textIfAny(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return w.text(b, name, text)
}

// amount writes 0 for an amount that was not sent.
func (*detailWriter) amount(b []byte, name string, a *wsfev1.Amount) []byte {
	return appendTrimmed(append(b, name...), a)
}

// appendTrimmed appends what Trim makes of an amount, mostly without the arithmetic of that.
func appendTrimmed(b []byte, a *wsfev1.Amount) []byte {
	start := len(b)
	b = a.Append(b)
	point := -1
	for i, c := range b[start:] {
		switch {
		case c == '.':
			point = start + i
		case c == '-' && i == 0 && a.Sign() < 0, c >= '0' && c <= '9':
		default: // an exponent, or minus zero
			return a.Trim().Append(b[:start])
		}
	}
	if point < 0 || !a.Exact() {
		return b
	}
	end := len(b)
	for b[end-1] == '0' {
		end--
	}
	if end-1 == point {
		end = point
	}
	return b[:end]
}

// writeList writes an object that holds one list, nothing if the list is empty. open is all that comes before the first
// item.
func writeList[T any](w *detailWriter, b []byte, open string, items []T, write func(*detailWriter, []byte, *T) []byte) []byte {
	for i := range items {
		b = append(write(w, append(b, open...), &items[i]), '}')
		open = ","
	}
	if len(items) > 0 {
		b = append(b, "]}"...)
	}
	return b
}

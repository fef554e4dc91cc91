package jsonline

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// text is a string. Bytes that are no UTF-8 stand as {"base64":"…"}, so that the export is exact.
func text[T any, S ~string | ~[]byte](name string, field func(*T) *S) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		if len(*field(v)) == 0 {
			return dst
		}
		return appendJSONText(dst, *field(v))
	}, func(d *jsontext.Decoder, v *T) error {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		read, err := ReadText(raw)
		*field(v) = S(read)
		return err
	})
}

func appendJSONText[S ~string | ~[]byte](dst []byte, s S) []byte {
	start := len(dst)
	if quoted, ok := appendPlainText(dst, s); ok {
		return quoted
	}
	dst, err := jsontext.AppendQuote(dst[:start], s)
	if err == nil {
		return dst
	}
	dst = append(dst[:start], `{"base64":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(s))
	return append(dst, `"}`...)
}

// appendPlainText appends a text of printable ASCII as jsontext.AppendQuote does. Nearly all texts are such. It
// reports whether it could.
func appendPlainText[S ~string | ~[]byte](dst []byte, s S) ([]byte, bool) {
	dst = append(dst, '"')
	for len(s) > 0 {
		part := s[:min(len(s), quotedAtOnce)]
		s = s[len(part):]
		dst = slices.Grow(dst, 2*len(part))
		out, at := dst[len(dst):len(dst)+2*len(part)], 0
		for i := range len(part) {
			b := part[i]
			if quoting := quotings[b]; quoting == quotedOtherwise {
				return dst, false
			} else if quoting == quotedEscaped {
				out[at] = '\\'
				at++
			}
			out[at] = b
			at++
		}
		dst = dst[:len(dst)+at]
	}
	return append(dst, '"'), true
}

// ReadText returns the text of a member, as text writes it.
func ReadText(raw jsontext.Value) ([]byte, error) {
	switch raw.Kind() {
	case '"':
		return jsontext.AppendUnquote([]byte(nil), []byte(raw))
	case '{':
		inner, found := bytes.CutPrefix(raw, []byte(`{"base64":"`))
		inner, closed := bytes.CutSuffix(inner, []byte(`"}`))
		decoded, err := base64.StdEncoding.Strict().AppendDecode(nil, inner)
		if found && closed && err == nil && !utf8.Valid(decoded) {
			return decoded, nil
		}
	}
	return nil, errors.New(`is neither a string nor {"base64":"…"} for bytes that are no UTF-8`)
}

// integer is a number that is left out where it is 0.
func integer[T any, N ~int | ~int32 | ~int64](name string, field func(*T) *N) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		if *field(v) == 0 {
			return dst
		}
		return strconv.AppendInt(dst, int64(*field(v)), 10)
	}, func(d *jsontext.Decoder, v *T) error {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || int64(N(n)) != n {
			return errors.New("is not a whole number, or too large")
		}
		*field(v) = N(n)
		return nil
	})
}

// integers is an array of numbers that is left out where it is empty.
func integers[T any, N ~int64](name string, field func(*T) *[]N) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		open := byte('[')
		for _, n := range *field(v) {
			dst = strconv.AppendInt(append(dst, open), int64(n), 10)
			open = ','
		}
		if open == '[' {
			return dst
		}
		return append(dst, ']')
	}, func(d *jsontext.Decoder, v *T) error {
		if err := delimiter(d, '['); err != nil {
			return err
		}
		for d.PeekKind() == '0' {
			raw, err := d.ReadValue()
			if err != nil {
				return err
			}
			n, err := strconv.ParseInt(string(raw), 10, 64)
			if err != nil {
				return errors.New("has something other than a whole number, or too large")
			}
			*field(v) = append(*field(v), N(n))
		}
		return delimiter(d, ']')
	})
}

// position is a number from 0 on. It is left out where kept returns false.
func position[T any](name string, field func(*T) *uint64, kept func(*T) bool) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		if !kept(v) {
			return dst
		}
		return strconv.AppendUint(dst, *field(v), 10)
	}, func(d *jsontext.Decoder, v *T) error {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		if *field(v), err = strconv.ParseUint(string(raw), 10, 64); err != nil {
			return errors.New("is not a whole number from 0 on, or too large")
		}
		return nil
	})
}

// hexadecimal is a run of bytes of a fixed length, left out where all of them are 0.
func hexadecimal[T any](name string, field func(*T) []byte) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		if len(bytes.Trim(field(v), "\x00")) == 0 {
			return dst
		}
		return append(hex.AppendEncode(append(dst, '"'), field(v)), '"')
	}, func(d *jsontext.Decoder, v *T) error {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		into := field(v)
		if raw.Kind() != '"' || len(raw) != 2+hex.EncodedLen(len(into)) {
			return fmt.Errorf("has not the length of %d bytes in hexadecimal", len(into))
		}
		_, err = hex.Decode(into, raw[1:len(raw)-1])
		return err
	})
}

// word is one of a few words; the empty one is left out.
func word[T any, E comparable](name string, words map[E]string, field func(*T) *E) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		if words[*field(v)] == "" {
			return dst
		}
		return append(append(append(dst, '"'), words[*field(v)]...), '"')
	}, func(d *jsontext.Decoder, v *T) error {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		for value, known := range words {
			if `"`+known+`"` == string(raw) {
				*field(v) = value
				return nil
			}
		}
		return fmt.Errorf("is %.40s, which is unknown", raw)
	})
}

// momentForm is RFC 3339 with all six digits of the microseconds.
const momentForm = "2006-01-02T15:04:05.000000-07:00"

// moment is a time in Argentina, or the microseconds since 1970 where RFC 3339 has no
// year for it.
func moment[T any](name string, field func(*T) *time.Time) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		local := field(v).In(wsfev1.Argentina)
		if year := local.Year(); year < 0 || year > 9999 {
			return strconv.AppendInt(dst, field(v).UnixMicro(), 10)
		}
		return append(local.AppendFormat(append(dst, '"'), momentForm), '"')
	}, func(d *jsontext.Decoder, v *T) error {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		if micros, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			*field(v) = time.UnixMicro(micros).UTC()
			return nil
		}
		t, err := time.Parse(`"`+momentForm+`"`, string(raw))
		if err != nil {
			return fmt.Errorf("is not a time such as 2026-11-20T15:04:05.000000-03:00")
		}
		*field(v) = t.UTC()
		return nil
	})
}

package xmlscan_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"unicode/utf16"

	"github.com/fielato/fielato/internal/xmlscan"
)

func wide(order binary.AppendByteOrder, text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

func TestBodiesAreDecoded(t *testing.T) {
	const plain = `<a>ñ</a>`
	for name, c := range map[string]struct {
		body, charset, want string
		encoding            xmlscan.Encoding
	}{
		"UTF-8":                      {plain, "", plain, xmlscan.UTF8},
		"a declaration decides":      {"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xF1</a>", "utf-8", "<?xml version='1.0' encoding='ISO-8859-1'?><a>ñ</a>", xmlscan.Latin1},
		"then the media type":        {"<a>\xF1\x80</a>", `"Windows-1252"`, "<a>ñ€</a>", xmlscan.Windows1252},
		"a declaration without one":  {"<?xml version='1.0'?><a>\xF1</a>", "latin1", "<?xml version='1.0'?><a>ñ</a>", xmlscan.Latin1},
		"UTF-16 with a mark":         {string(wide(binary.LittleEndian, "\uFEFF<a>ñ😀</a>")), "utf-8", "\uFEFF<a>ñ😀</a>", xmlscan.UTF16LE},
		"UTF-16 without a mark":      {string(wide(binary.BigEndian, plain)), "", plain, xmlscan.UTF16BE},
		"UTF-16 that is only said":   {"<?xml version='1.0' encoding='utf-16'?>" + plain, "", "<?xml version='1.0' encoding='utf-16'?>" + plain, xmlscan.UTF8},
		"then a parameter":           {"<?xml version='1.0' encoding='utf-16'?><a>\xF1</a>", "latin1", "<?xml version='1.0' encoding='utf-16'?><a>ñ</a>", xmlscan.Latin1},
		"a mark against a parameter": {"\xEF\xBB\xBF" + plain, "iso-8859-1", "\xEF\xBB\xBF" + plain, xmlscan.UTF8},
	} {
		text, encoding, err := xmlscan.Decode([]byte(c.body), c.charset)
		if err != nil || string(text) != c.want || encoding != c.encoding {
			t.Errorf("%s: %q, %v, %v", name, text, encoding, err)
		}
	}
}

func TestBodiesOfNoKnownEncodingAreRefused(t *testing.T) {
	for body, c := range map[string]struct {
		charset string
		want    xmlscan.Reason
	}{
		"<?xml version='1.0' encoding='EBCDIC-CP-US'?><a/>": {"", xmlscan.Charset},
		"<a/>": {"shift_jis", xmlscan.Charset},
		"\xEF\xBB\xBF<?xml version='1.0' encoding='ISO-8859-1'?><a/>": {"", xmlscan.Bytes},
		"\xFF\xFE<\x00a":        {"", xmlscan.Bytes},
		"\xFF\xFE\x00\xD8a\x00": {"", xmlscan.Bytes},
		"\xFF\xFE\x00\xDC":      {"", xmlscan.Bytes},
		"\xFE\xFF\x00<\xD8\x00": {"", xmlscan.Bytes},
	} {
		_, _, err := xmlscan.Decode([]byte(body), c.charset)
		var refused *xmlscan.Error
		if !errors.As(err, &refused) || refused.Reason != c.want {
			t.Errorf("%q: %v, want reason %d", body, err, c.want)
		}
	}
}

func TestPlacesAreFoundInTheBody(t *testing.T) {
	const text = "\uFEFF<a>ñ😀€</a>"
	for encoding, body := range map[xmlscan.Encoding][]byte{
		xmlscan.UTF8:    []byte(text),
		xmlscan.UTF16LE: wide(binary.LittleEndian, text),
		xmlscan.UTF16BE: wide(binary.BigEndian, text),
	} {
		decoded, got, err := xmlscan.Decode(body, "")
		if err != nil || got != encoding {
			t.Fatal(got, err)
		}
		places := xmlscan.NewPlaces(decoded, encoding)
		end := places.At(bytes.Index(decoded, []byte("</a>")))
		if !bytes.Equal(body[end:], encoding.Encode("</a>")) {
			t.Errorf("%v: %q", encoding, body[end:])
		}
		if start := places.At(bytes.Index(decoded, []byte("<a>"))); !bytes.HasPrefix(body[start:], encoding.Encode("<a>")) {
			t.Errorf("%v: %q", encoding, body[start:])
		}
	}
}

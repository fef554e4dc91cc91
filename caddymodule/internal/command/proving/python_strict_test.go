package proving_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

// respelling writes the same in another way, or adds something that readers may pass over.
type respelling struct {
	name string
	// file is the one that is changed; empty for the key.
	file, from, to string
}

// bothRefuse checks that both verifiers refuse what was changed, and take what was not.
func bothRefuse(t *testing.T, original, key string, all []respelling) {
	t.Helper()
	verify := pythonMany(t)
	judge := func(path, key string) (ours, theirs bool, said string) {
		arguments := []string{"verify", "--export", path, "--key", key}
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			arguments = []string{"check-proof", path, "--key", key}
		}
		out, errs, err := caddytest.AuditCommand(arguments...)
		text, sound := verify(t, key, path)
		return err == nil, sound, out + errs + text
	}
	if ours, theirs, said := judge(original, key); !ours || !theirs {
		t.Fatalf("the original: ours %v, verify.py %v\n%s", ours, theirs, said)
	}
	for _, test := range all {
		t.Run(test.name, func(t *testing.T) {
			path, with := filepath.Join(t.TempDir(), filepath.Base(original)), key
			if info, err := os.Stat(original); err == nil && info.IsDir() {
				if err := os.CopyFS(path, os.DirFS(original)); err != nil {
					t.Fatal(err)
				}
			} else if content, err := os.ReadFile(original); err != nil || os.WriteFile(path, content, 0o600) != nil {
				t.Fatal(err)
			}
			if test.file == "" {
				if with = replaced(t, key, test.from, test.to); with == key {
					t.Fatal("it is the same key")
				}
			} else {
				file := filepath.Join(path, test.file)
				if test.file == "." {
					file = path
				}
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(replaced(t, string(content), test.from, test.to)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if ours, theirs, said := judge(path, with); ours || theirs {
				t.Errorf("ours takes it: %v, verify.py: %v\n%s", ours, theirs, said)
			}
		})
	}
}

// replaced replaces the first match of a pattern.
func replaced(t *testing.T, text, pattern, with string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatchIndex(text)
	if found == nil {
		t.Fatalf("there is no %s in\n%s", pattern, text)
	}
	made := regexp.MustCompile(pattern).ExpandString(nil, with, text, found)
	return text[:found[0]] + string(made) + text[found[1]:]
}

// padded returns a pattern for the base64 of 32 bytes, whose last letter has two bits that mean nothing, and the same
// with such a bit set.
func padded(t *testing.T, text, pattern string) (from, to string) {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no %s in\n%s", pattern, text)
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	body := strings.TrimRight(found[1], "=")
	other := body[:len(body)-1] + string(letters[strings.IndexByte(letters, body[len(body)-1])^1]) + found[1][len(body):]
	was, err := base64.StdEncoding.DecodeString(found[1])
	now, failed := base64.StdEncoding.DecodeString(other)
	if err != nil || failed != nil || !bytes.Equal(was, now) {
		t.Fatalf("%q and %q are not the same bytes", found[1], other)
	}
	return regexp.QuoteMeta(found[1]), other
}

const strictLines = "records-000000000000-000000000010.jsonl"

// TestBothVerifiersRefuseAnotherSpellingOfALine: whoever reads it may take it for something else.
func TestBothVerifiersRefuseAnotherSpellingOfALine(t *testing.T) {
	t.Parallel()
	original := caddytest.Exported(t, purgedTrail(t))
	in := func(name, from, to string) respelling { return respelling{name, strictLines, from, to} }
	all := []respelling{
		in("a blank", `"index":4,`, `"index": 4,`), in("a blank at the end", `}\n`, "} \n"), in("a line end of Windows", `}\n`, "}\r\n"), in("a mark of UTF-8", `^`, "\ufeff"),
		in("a fraction", `"index":4,`, `"index":4.0,`), in("an exponent", `"index":4,`, `"index":4e0,`), in("a zero in front", `"index":4,`, `"index":04,`), in("a sign", `"index":4,`, `"index":+4,`),
		in("a truth", `"index":1,`, `"index":true,`), in("no number", `"index":4,`, `"index":NaN,`), in("without end", `"index":4,`, `"index":Infinity,`), in("a text", `"index":4,`, `"index":"4",`), in("digits of another script", `"index":4,`, `"index":٤,`),
		in("null", `"index":4,`, `"index":4,"detail":null,`), in("a false", `"index":4,`, `"index":4,"status":false,`), in("an empty text", `"index":4,`, `"index":4,"intent_log":"",`), in("a zero", `"index":4,`, `"index":4,"status":0,`),
		in("an empty list", `"node":"`, `"vouchers":[],"node":"`), in("a member twice", `"index":4,`, `"index":4,"index":4,`), in("an unknown member", `"index":4,`, `"index":4,"x":1,`), in("another order", `"log":"gateway-1","index":4,`, `"index":4,"log":"gateway-1",`),
		in("an escaped letter", `"log":"gateway-1","index":4`, `"log":"g\u0061teway-1","index":4`), in("an escaped slash", `"answer":"<b/>"`, `"answer":"<b\/>"`), in("a name in another case", `"index":4,`, `"Index":4,`),
		in("large digits", `"([0-9b-f]*)a([0-9a-f]{20})`, `"${1}A${2}`), in("blanks in hexadecimal", `"leaf":"(..)`, `"leaf":"${1} `), in("hexadecimal behind its end", `"leaf":"([0-9a-f]{64})"`, `"leaf":"${1}00"`),
		in("a time in UTC", `"time":"([^"]*)T([0-9]+):([^"]*)-03:00"`, `"time":"${1}T${2}:${3}+00:00"`), in("a time with a blank", `"time":"([^"]*)T`, `"time":"${1} `), in("fewer digits of a second", `"time":"([^".]*)\.0+-`, `"time":"${1}-`),
		in("a comma in a second", `"time":"([^".]*)\.`, `"time":"${1},`), in("a text in base64", `"operation":"FECAESolicitar"`, `"operation":{"base64":"RkVDQUVTb2xpY2l0YXI="}`),
		in("something behind the object", `}\n`, "}{}\n"), in("an empty line", `}\n`, "}\n\n"), in("something behind the end", `\n$`, "\n{\"log\":"), in("a blank behind the end", `\n$`, "\n "), in("no end", `\n$`, ""),
	}
	bothRefuse(t, original, caddytest.KeyOf(t, original), all)
}

// TestBothVerifiersRefuseAnotherSpellingOfAManifest, and of the key.
func TestBothVerifiersRefuseAnotherSpellingOfAManifest(t *testing.T) {
	t.Parallel()
	original := caddytest.Exported(t, purgedTrail(t))
	key := caddytest.KeyOf(t, original)
	in := func(name, from, to string) respelling { return respelling{name, "manifest.json", from, to} }
	text, err := os.ReadFile(filepath.Join(original, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Checkpoint string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	signature := regexp.MustCompile(`\n\x{2014} \S+ (\S+)\n$`).FindStringSubmatch(manifest.Checkpoint)[1]
	all := []respelling{
		in("an unknown member", `"size":`, `"x": 1, "size":`), in("a member twice", `"size": 11,`, `"size": 11, "size": 11,`), in("a name in another case", `"size":`, `"Size":`), in("null", `"purged":`, `"compression": null, "purged":`),
		in("a fraction", `"size": 11`, `"size": 11.0`), in("an exponent", `"size": 11`, `"size": 11e0`), in("a truth", `"sealed": 0`, `"sealed": false`), in("a text", `"size": 11`, `"size": "11"`), in("no number", `"sealed": 0`, `"sealed": NaN`),
		in("another size", `"size": 11`, `"size": 12`), in("another number of purged ones", `"purged": 2`, `"purged": 1`), in("another sum", `"sha256": "(..)..`, `"sha256": "${1}0z`), in("large digits of a sum", `"sha256": "([0-9]*)([a-f])`, `"sha256": "${1}Z`),
		in("another root", `"root": "....`, `"root": "0000`), in("another length", `"bytes": 1`, `"bytes": 2`), in("another key", `"public_key": "fielato/g`, `"public_key": "fielato/h`), in("another format", `fielato-export/11`, `fielato-export/12`),
		in("a file elsewhere", `"name": "records-`, `"name": "../export/records-`), in("something behind it", `\}\s*$`, "}\n{}"), in("a mark of UTF-8", `^`, "\ufeff"), in("a half of a character", `"log": "gateway-1"`, `"log": "gateway-1\ud800"`),
		in("a blank in the signature", regexp.QuoteMeta(signature[:8]), signature[:4]+` `+signature[4:8]), in("a line end in the checkpoint", `gateway-1\\n11\\n`, `gateway-1\r\n11\n`), in("a blank in the root", `\\n11\\n(.)`, `\n11\n${1} `), in("a zero in front", `\\n11\\n`, `\n011\n`),
		in("a line of no signature", `\\n\\n(\x{2014})`, `\n\nx\n${1}`), in("a note without an end", `\\n",\n  "file_records"`, "\",\n  \"file_records\""),
		in("a blank in a proof", `extra (....)`, `extra ${1} `), in("a zero in front of a proof's index", `index 9`, `index 09`), in("a sign in front of a proof's index", `index 9`, `index +9`),
		in("a minus zero of what is sealed", `"sealed": 0`, `"sealed": -0`), in("a minus zero of the first", `"first": 0`, `"first": -0`), in("a fraction of what is purged", `"purged": 2`, `"purged": 2.0`), in("an exponent of the records in a file", `"file_records": 65536`, `"file_records": 65536e0`),
		in("a fraction of the first", `"first": 0`, `"first": 0.0`), in("a fraction of the bytes", `"bytes": (\d+)`, `"bytes": ${1}.0`), in("a minus zero of the bytes", `"bytes": (\d+)`, `"bytes": -0`), in("an exponent of the rows", `"rows": (\d+)`, `"rows": ${1}e0`), in("a minus zero of the rows", `"rows": (\d+)`, `"rows": -0`),
		in("another number of rows", `"rows": (\d+)`, `"rows": 1${1}`),
		{"large digits in the key", "", `\+([0-9]*)([a-f])`, `+${1}` + strings.ToUpper(regexp.MustCompile(`\+[0-9]*([a-f])`).FindStringSubmatch(key)[1])},
		{"a blank in the key", "", `(.)$`, ` ${1}`},
	}
	for _, name := range testrun.Some(t, 2, []string{"sealed", "log", "format", "public_key", "size", "checkpoint", "file_records", "purged"}) {
		all = append(all, in("without "+name, `"`+name+`": ("[^\n]*"|\d+),`, ``))
	}
	for _, name := range testrun.Some(t, 2, []string{"sealed", "rows", "name", "first", "records", "purged", "bytes", "sha256", "root"}) {
		all = append(all, in("a file without "+name, `(?s)("files": .*?)"`+name+`": ("[^\n]*"|\d+),`, `${1}`))
	}
	for _, name := range testrun.Some(t, 1, []string{"bytes", "name", "sha256"}) {
		all = append(all, in("a table without "+name, `(?s)("invoices": .*?)"`+name+`": ("[^\n]*"|\d+)(,?)`, `${1}"rows": 1${3}`))
	}
	all = append(all, in("a file without a table", `(?s),\s*"invoices": \{[^}]*\}`, ``), in("without files", `(?s),\s*"files": .*\]`, ``))
	for _, n := range testrun.Some(t, 3, []int{0, 3, 4, 1, 2}) {
		all = append(all, in("another signature of "+strconv.Itoa(n)+" bytes", `\\n",\n  "file_records"`, `\n— other `+base64.StdEncoding.EncodeToString(make([]byte, n))+`\n",`+"\n"+`  "file_records"`))
	}
	bothRefuse(t, original, key, all)
	bothRefuseLinks(t, original, key, strictLines)
	for name, file := range map[string]string{"a file more": "records-000000000011-000000000020.jsonl", "another file": "note.txt"} {
		path := filepath.Join(t.TempDir(), "export")
		if err := os.CopyFS(path, os.DirFS(original)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if said, sound := caddytest.Python(t, key, path); sound {
			t.Errorf("%s: %s", name, said)
		}
		if out, _, err := caddytest.AuditCommand("verify", "--export", path, "--key", key); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// TestBothVerifiersRefuseAnotherSpellingOfAProof.
func TestBothVerifiersRefuseAnotherSpellingOfAProof(t *testing.T) {
	t.Parallel()
	store := purgedTrail(t)
	path := filepath.Join(t.TempDir(), "record.tlog-proof")
	if _, errs, err := caddytest.AuditCommand("prove", "1", "--store", store, "--output", path); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in := func(name, from, to string) respelling { return respelling{name, ".", from, to} }
	hash, otherHash := padded(t, string(text), `index 1\n(\S+)\n`)
	all := []respelling{
		in("a blank in its record", `extra (....)`, `extra ${1} `), in("a line end in its record", `extra (....)`, "extra ${1}\n"), in("a tab in its record", `extra (....)`, "extra ${1}\t"), in("a letter of the other alphabet", `extra (....)`, "extra ${1}-"),
		in("something behind the padding", `\nindex`, "=\nindex"), in("two blanks", `extra `, `extra  `), in("a zero in front", `index 1`, `index 01`), in("a sign", `index 1`, `index +1`), in("a blank behind", `index 1`, `index 1 `), in("an underscore", `index 1`, `index 0_1`),
		in("digits of another script", `index 1`, `index ١`), in("a hash with a blank", `index 1\n(....)`, "index 1\n${1} "), in("bits behind a hash", hash, otherHash), in("a hash too many", `\n\n`, "\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n"),
		in("line ends of Windows", `\n`, "\r\n"), in("a line end of Windows in a hash", `(index 1\n\S+)\n`, "${1}\r\n"), in("a mark of UTF-8", `^`, "\ufeff"), in("an empty line behind", `$`, "\n"), in("no end", `\n$`, ""), in("something behind", `$`, "x\n"), in("a null", `$`, "\x00"),
		in("a blank in the signature", `(\x{2014} \S+ ....)`, `${1} `), in("a tab before the signature", `(\x{2014} \S+) `, "${1}\t"), in("a line end of Windows behind the signature", `\n$`, "\r\n"), in("a line separator", `\n$`, "\u2028\n"), in("two blanks before the signature", `(\x{2014} \S+) `, "${1}  "),
	}
	bothRefuse(t, path, caddytest.KeyOf(t, caddytest.Exported(t, store)), all)
}

// TestBothVerifiersRefuseAnotherSpellingOfEvidence.
func TestBothVerifiersRefuseAnotherSpellingOfEvidence(t *testing.T) {
	t.Parallel()
	path, key := evidenceOf(t, "factura-1")
	in := func(name, from, to string) respelling { return respelling{name, "manifest.json", from, to} }
	all := []respelling{
		in("an unknown member", `"nro":`, `"x": 1, "nro":`), in("a member twice", `"nro": 1,`, `"nro": 1, "nro": 1,`), in("a fraction", `"nro": 1`, `"nro": 1.0`), in("a truth", `"nro": 1`, `"nro": true`), in("something behind it", `\}\s*$`, "}\n{}"),
		in("another format", `fielato-evidence/1`, `fielato-evidence/2`), in("a sum in large digits", `"sha256": "([0-9]*)([a-f])`, `"sha256": "${1}Z`), in("a file elsewhere", `"path": "exchanges/`, `"path": "../factura-1/exchanges/`),
		in("a minus zero", `"bytes": \d+`, `"bytes": -0`), in("an exponent", `"cuit": (\d+)`, `"cuit": ${1}e0`), in("null", `"nro": 1`, `"nro": null`),
	}
	for _, name := range testrun.Some(t, 3, []string{"made", "log", "nro", "format", "public_key", "cuit", "pto_vta", "cbte_tipo", "path", "bytes"}) {
		all = append(all, in("without "+name, `"`+name+`": ("[^\n]*"|\d+),`, ``))
	}
	all = append(all, in("a file without its sum", `,\s*"sha256": "[^"]*"`, ``), in("without files", `(?s),\s*"files": .*\]`, ``))
	bothRefuse(t, path, key, all)
	bothRefuseLinks(t, path, key, "manifest.json")
}

// bothSay returns whether our verifier and verify.py take a folder, and what they say.
func bothSay(t *testing.T, path, key string) (ours, theirs bool, said string) {
	t.Helper()
	out, errs, err := caddytest.AuditCommand("verify", "--export", path, "--key", key)
	text, sound := caddytest.Python(t, key, path)
	return err == nil, sound, out + errs + text
}

// bothRefuseLinks checks that both verifiers refuse a file that is a link, out of the folder or within it.
func bothRefuseLinks(t *testing.T, original, key, file string) {
	t.Helper()
	type link struct{ inside, absolute bool }
	for _, l := range testrun.Some(t, 2, []link{{false, false}, {true, false}, {false, true}, {true, true}}) {
		path := filepath.Join(t.TempDir(), filepath.Base(original))
		if err := os.CopyFS(path, os.DirFS(original)); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(filepath.Dir(path), "elsewhere")
		if l.inside {
			to = filepath.Join(path, "progress.json.partial")
		}
		if err := os.Rename(filepath.Join(path, file), to); err != nil {
			t.Fatal(err)
		}
		if !l.absolute {
			var err error
			if to, err = filepath.Rel(path, to); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(to, filepath.Join(path, file)); err != nil {
			t.Fatal(err)
		}
		if ours, theirs, said := bothSay(t, path, key); ours || theirs {
			t.Errorf("%s, a link to %s: ours takes it: %v, verify.py: %v\n%s", filepath.Base(original), to, ours, theirs, said)
		}
	}
}

// TestBothVerifiersTakeTheSignatureOfAnother: any of five bytes or more, of which nobody here knows the key.
func TestBothVerifiersTakeTheSignatureOfAnother(t *testing.T) {
	t.Parallel()
	original := caddytest.Exported(t, purgedTrail(t))
	for _, n := range testrun.Some(t, 1, []int{5, 68, 6, 100}) {
		path := filepath.Join(t.TempDir(), "export")
		if err := os.CopyFS(path, os.DirFS(original)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(path, "manifest.json")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		made := replaced(t, string(text), `\\n",\n  "file_records"`, `\n— other `+base64.StdEncoding.EncodeToString(make([]byte, n))+`\n",`+"\n"+`  "file_records"`)
		if err := os.WriteFile(file, []byte(made), 0o600); err != nil {
			t.Fatal(err)
		}
		if ours, theirs, said := bothSay(t, path, caddytest.KeyOf(t, original)); !ours || !theirs {
			t.Errorf("%d bytes: ours takes it: %v, verify.py: %v\n%s", n, ours, theirs, said)
		}
	}
}

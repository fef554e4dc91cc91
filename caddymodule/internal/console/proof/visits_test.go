package proof_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// cosigned has the newest checkpoint signed by witnesses with these names, and changes it then.
func cosigned(change func(note string) string, names ...string) func(*testing.T, *sql.DB) {
	return func(t *testing.T, db *sql.DB) {
		t.Helper()
		var note []byte
		if err := db.QueryRow("SELECT note FROM checkpoints").Scan(&note); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			note = audittest.Cosign(t, note, time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC), audittest.Witness(t, name))
		}
		if _, err := db.Exec("INSERT INTO settings (name, value) VALUES (?, ?)", audit.CosignedSetting(log), []byte(change(string(note)))); err != nil {
			t.Fatal(err)
		}
	}
}

// witnessVisits are pages on which signatures of witnesses are asked for. a and b have signed.
func witnessVisits(t *testing.T, key string) []visit {
	t.Helper()
	a, b, c := audittest.Witness(t, "a.example").String(), audittest.Witness(t, "b.example").String(), audittest.Witness(t, "c.example").String()
	same := func(note string) string { return note }
	both := cosigned(same, "a.example", "b.example")
	lastByte := func(note string) string { return note[:len(note)-8] + "AAAA" + note[len(note)-4:] }
	policy := "witness a " + a + "\nwitness b " + b + "\nwitness c " + c + "\n"
	const signed, open = "También lo firmaron los testigos que usted pide.", "Los testigos que usted pide no firmaron"
	all := []visit{
		{name: "witnesses that nobody asks for", change: both, verdict: "good", text: "firma de una clave que usted no dio", done: "a.example"},
		{name: "a witness", change: both, witnesses: a, verdict: "good", text: signed},
		{name: "when it has signed", change: both, witnesses: a, verdict: "good", done: "27/11/2026, 12:00:00"},
		{name: "two of three", change: both, witnesses: a + "\n\n" + c + "\n" + b + "\n", verdict: "good", text: signed, done: "no firmó este punto de control"},
		{name: "three of three", change: both, witnesses: a + "\n" + c + "\n" + b, quorum: "3", verdict: "open", wrong: []string{"quorum"}, done: open},
		{name: "another", change: both, witnesses: c, verdict: "open", wrong: []string{"quorum"}, done: open},
		{name: "a checkpoint without signatures", witnesses: a, verdict: "open", wrong: []string{"quorum"}, done: open},
		{name: "a changed signature", change: cosigned(lastByte, "b.example", "a.example"), witnesses: a, verdict: "bad", wrong: []string{"witness", "quorum"}, answer: "Cambió.", done: "inválida"},
		{name: "a policy", change: both, witnesses: "log " + key + "\n" + policy + "group g any b c\ngroup h all a g\nquorum h\n", verdict: "good", done: signed},
		{name: "a policy for more", change: both, witnesses: policy + "group g all b c\nquorum g\n", verdict: "open", wrong: []string{"quorum"}, done: open},
		{name: "a mistake", change: both, witnesses: a + "\n" + a, verdict: "open", wrong: []string{"policy"}, done: "Lo que pegó de los testigos no se entiende"},
		{name: "witnesses that are kept", change: both, witnesses: b, click: "witness-pin", verdict: "good", done: signed},
		{name: "and stay", again: true, verdict: "good", done: signed},
	}
	for i := range all {
		all[i].key, all[i].source = key, "pasted"
	}
	return all
}

// flip changes one byte of a text behind a mark.
func flip(column string, index int64, mark string) visit {
	return visit{change: edit(column, index, func(item []byte) { item[strings.Index(string(item), mark)] ^= 1 })}
}

// visitsOf returns the pages that the browser opens. foreign is a key that has signed nothing here.
func visitsOf(t *testing.T, key, foreign string) []visit {
	as := func(name string, v visit, verdict string, wrong ...string) visit {
		v.name, v.verdict, v.wrong = name, verdict, wrong
		if v.key == "" && v.source == "" {
			v.key = key
		}
		if v.key != "" && v.source == "" {
			v.source = "pasted"
		}
		return v
	}
	note := func(old, with string) visit {
		return visit{change: statement("UPDATE checkpoints SET note = CAST(replace(CAST(note AS TEXT), " + old + ", " + with + ") AS BLOB)")}
	}
	const unsupported = `crypto.subtle.importKey = function () { return Promise.reject(new DOMException("", "NotSupportedError")); };`
	all := []visit{
		as("nothing was changed", visit{answer: "No cambió.", text: "los datos de la hoja están en los bytes verificados"}, "good"),
		as("only the server's key", visit{source: "server", answer: "Todavía no se puede saber: falta la clave.", text: "Pida la clave a quien administra la pasarela"}, "open"),
		as("another key", visit{key: foreign, answer: "Cambió, o la clave no es la de este registro de auditoría.", text: "no hay firma de esta clave"}, "bad", "signature"),
		as("no key", visit{key: "fielato/gateway-1", answer: "Todavía no se puede saber.", text: "Lo pegado no es una clave pública"}, "open", "key"),
		as("a byte of the record", visit{change: flip("summaries", outcomeAt, "service.example").change, answer: "Cambió. Avise"}, "bad", "root"),
		as("the hash of the content", visit{change: edit("summaries", outcomeAt, func(item []byte) { item[len(item)-1] ^= 1 })}, "bad", "content", "root"),
		as("a byte of the body", flip("content", outcomeAt, "76470000000018"), "bad", "content"),
		as("a byte of the salt", visit{change: edit("content", outcomeAt, func(item []byte) { item[0] ^= 1 })}, "bad", "content"),
		as("a byte of the intent's body", flip("content", intentAt, "30000000007"), "bad"),
		as("a node of the path", visit{change: statement("UPDATE segments SET leaves = zeroblob(length(leaves)) WHERE id = (SELECT min(id) FROM segments)")}, "bad", "root"),
		as("the signed root", note("substr(CAST(note AS TEXT), 21, 4)", "'AAAA'"), "bad", "signature", "root"),
		as("the signed size", note("char(10) || '7' || char(10)", "char(10) || '8' || char(10)"), "bad", "signature"),
		as("the log's name", note("'fielato/gateway-1' || char(10)", "'fielato/gateway-2' || char(10)"), "bad", "signature", "log"),
		as("the signature", note("substr(CAST(note AS TEXT), -8, 3)", "'AAA'"), "bad", "signature"),
		as("the checkpoint is gone", visit{change: statement("DELETE FROM checkpoints"), text: "ningún punto de control"}, "bad", "signature"),
		as("the record is gone", visit{change: statement("DELETE FROM segments WHERE id = (1 << 40 | 3)"), answer: "Cambió. En el almacén faltan partes", text: "falta en el almacén"}, "bad"),
		as("a damaged body", visit{change: statement("UPDATE segments SET content = x'00ff' WHERE id = (1 << 40 | 3)"), text: "está dañado"}, "bad"),
		as("another CUIT on the sheet", visit{
			rewrite: func(page string) string {
				return strings.ReplaceAll(page, `"cuit":"20111111112"`, `"cuit":"20111111120"`)
			},
			text: "cuit: 20111111120",
		}, "bad", "claims"),
		as("another digest on the sheet", visit{
			rewrite: func(page string) string { return strings.ReplaceAll(page, `"answer_sha256":"`, `"answer_sha256":"0`) }, text: "answer_sha256: ",
		}, "bad", "claims"),
		as("a code that the answer has not", visit{
			rewrite: func(page string) string {
				return strings.ReplaceAll(page, `"answer_codes":"10063"`, `"answer_codes":"10016"`)
			}, text: "answer_codes: 10016",
		}, "bad", "claims"),
		as("no documents", visit{masked: true, answer: "No cambió.", text: "sin los documentos"}, "good"),
		as("the proof of another record", visit{
			rewrite: func(page string) string {
				return strings.NewReplacer(`"index":"3"`, `"index":"4"`, `data-index="gateway-1/3"`, `data-index="gateway-1/4"`).Replace(page)
			},
			text: "Paso a paso",
		}, "bad", "log"),
		as("no Ed25519", visit{early: unsupported, text: "no conoce Ed25519"}, "open"),
		as("by the key that is pinned", visit{key: key, click: "key-pin", source: "pinned"}, "good"),
		as("by the key that was pinned", visit{again: true, source: "pinned", text: "clave fijada en este navegador"}, "good"),
		as("after it was forgotten", visit{again: true, click: "key-forget", source: "server"}, "open"),
		as("by the server's key, once it is trusted", visit{again: true, click: "key-pin-server", source: "pinned"}, "good"),
	}
	all = append(all, witnessVisits(t, key)...)
	return append(all, visit{name: "an insecure place", host: "elsewhere.example", verdict: "open", text: "ni de esta misma máquina"})
}

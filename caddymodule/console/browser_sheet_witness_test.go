package console_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"

	"github.com/fielato/fielato/internal/audittest"
)

// cosignSheet returns a sheet whose checkpoint the witnesses with these names have signed, and change has changed.
func cosignSheet(t *testing.T, text string, change func(note string) string, names ...string) string {
	t.Helper()
	before, rest, _ := strings.Cut(text, `id="proof">`)
	data, after, _ := strings.Cut(rest, "</script>")
	var embedded map[string]any
	if err := json.Unmarshal([]byte(data), &embedded); err != nil {
		t.Fatal(err)
	}
	proof, note, _ := strings.Cut(embedded["text"].(string), "\n\n")
	for _, name := range names {
		note = string(audittest.Cosign(t, []byte(note), time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC), audittest.Witness(t, name)))
	}
	embedded["text"] = proof + "\n\n" + change(note)
	changed, err := json.Marshal(embedded)
	if err != nil {
		t.Fatal(err)
	}
	return before + `id="proof">` + string(changed) + "</script>" + after
}

// sheetVisit is what a reader asks of witnesses, and the answer.
type sheetVisit struct {
	name, witnesses, quorum string
	verdict, said           string
	signers                 string // of the list, a part of its text
}

// testSheetWitnesses: the sheet says who has signed its checkpoint, by the keys that its reader gives, without a
// connection. On paper there is nothing of it.
func testSheetWitnesses(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	original, key, same := p.sheetOfInvoice(t), p.publicKey(t), func(note string) string { return note }
	lastBytes := func(note string) string { return note[:len(note)-8] + "AAAA" + note[len(note)-4:] }
	a, c := audittest.Witness(t, "a.example").String(), audittest.Witness(t, "c.example").String()
	other := audittest.Witness(t, "b.example").String()
	const also, missed = "También lo firmaron los testigos que usted pide.", "Los testigos que usted pide no firmaron"
	const unknown, when = "a.example: firma de una clave que usted no dio: no muestra nada", "a.example · 27/11/2026, 12:00:00 (UTC−3): firma válida"
	tab.openSheet(key, cosignSheet(t, original, same, "a.example", "b.example"))
	for _, v := range []sheetVisit{
		{"nobody asks", "", "", "good", "firmado con la clave que usted pegó", unknown},
		{"a witness", a, "", "good", also, when},
		{"two of three", a + "\n" + c + "\n" + other, "", "good", also, "c.example: no firmó este punto de control"},
		{"a quorum that is not reached", a + "\n" + c + "\n" + other, "3", "open", missed, when},
		{"an unknown key", c, "", "open", missed, unknown},
		{"a policy", "log " + key + "\nwitness a " + a + "\nwitness c " + c + "\ngroup g any a c\nquorum g\n", "", "good", also, when},
		{"a policy for another log", "log " + audittest.Key(t, "other").Verifier() + "\nwitness a " + a + "\nquorum a\n", "", "open", missed, when},
		{"what is no policy", a + "\n" + a, "", "open", "no se entiende", ""},
	} {
		tab.askWitnesses(v)
	}
	tab.openSheet(key, cosignSheet(t, original, lastBytes, "b.example", "a.example"))
	tab.askWitnesses(sheetVisit{"a wrong line", a, "", "bad", "la firma de un testigo es inválida", "a.example · 27/11/2026, 12:00:00 (UTC−3): firma inválida"})
	tab.openSheet(key, original)
	tab.askWitnesses(sheetVisit{"no line at all", a, "", "open", missed, "a.example: no firmó"})
	tab.accessible("constancia-testigos", "{}")
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	if ask[bool](tab, `[...document.querySelectorAll("details, summary, textarea, input")].some(one => one.checkVisibility())`) {
		t.Error("the fields are printed")
	}
	tab.prefer("light")
	if n := ask[int](tab, `performance.getEntriesByType("resource").length`); n > 0 {
		t.Errorf("the sheet has asked for %d files", n)
	}
	tab.quiet()
}

// openSheet opens a sheet from a disk, with the log's key pasted.
func (p *tab) openSheet(key, text string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "constancia.html")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.goTo("file://" + file)
	p.until(sheetVerdict)
	if ask[bool](p, `document.querySelector("details").open`) {
		p.t.Error("the witnesses are not folded")
	}
	p.enter("key", key)
	ask[bool](p, `document.querySelector("details").open = true`)
}

// enter fills a field of a sheet.
func (p *tab) enter(id, value string) {
	p.t.Helper()
	ask[bool](p, fmt.Sprintf(`(function (field) { field.value = %q; return field.dispatchEvent(new Event("input")); })(document.getElementById(%q))`, value, id))
}

// askWitnesses asks for witnesses, and waits for the answer.
func (p *tab) askWitnesses(v sheetVisit) {
	p.t.Helper()
	p.t.Log(v.name)
	p.enter("quorum", v.quorum)
	p.enter("witnesses", v.witnesses)
	p.until(fmt.Sprintf(`%s === %q && document.getElementById("result").innerText.includes(%q) && document.getElementById("signers").innerText.includes(%q)`, sheetVerdict, v.verdict, v.said, v.signers))
}

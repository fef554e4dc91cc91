package invoice

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"strconv"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/proof"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// sheet is what goes to the customer: one file that needs no other, in Spanish. It is about an authorised invoice.
type sheet struct {
	*invoicePage
	// Name and Number name the invoice, and Type is its type's number.
	Name, Number string
	Type         int32
	// Proven is the second of two sentences about the proof. The first is the Sentence.
	Proven string
	// Banner says why the invoice is not valid, or may not be; empty for the service of production.
	Banner, Made string
	// Embed is the proof, nil where there is none to hand out. Script verifies it, and Policy lets nothing else run.
	Embed  *proof.Embedded
	Script template.JS
	Policy string
}

var sheetTemplate = template.Must(template.ParseFS(files, "templates/constancia.html"))

// verifier is the script of a sheet, with the policy that lets this script alone run.
var verifier = sync.OnceValues(func() (script, policy string) {
	own, err := files.ReadFile("templates/constancia.js")
	if err != nil {
		panic(err) // it is embedded
	}
	script = proof.Script + proof.WitnessScript + string(own)
	sum := sha256.Sum256([]byte(script))
	return script, "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
})

// download hands out the sheet of an authorised invoice. It is a file to keep and to send, never a page of the
// console: its script must not run here.
func download(s *site.Site, w http.ResponseWriter, r *http.Request) error {
	wanted, err := queryOf(r)
	if err != nil {
		return err
	}
	one := &sheet{
		invoicePage: newPage(s, r, wanted), Name: spanish.Voucher(wanted.CbteTipo), Number: spanish.Number(wanted.PtoVta, wanted.Number),
		Type: wanted.CbteTipo, Made: spanish.Moment(s.Now()),
	}
	one.Lang, one.voice.Lang = "es", story.Spanish
	err = s.Read(r, "", "invoice "+flagsOf(wanted)+" constancia", func(sources []site.Source) error {
		found, err := findIn(r.Context(), sources, wanted, one.Masks)
		if err != nil {
			return err
		}
		if found.best == nil || !found.best.Found.IsAuthorised() {
			return site.ErrNotFound
		}
		return one.fill(r.Context(), found)
	})
	if err != nil {
		return err
	}
	var made bytes.Buffer
	if err := sheetTemplate.ExecuteTemplate(&made, "constancia.html", one); err != nil {
		return fmt.Errorf("making the sheet: %w", err)
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	name := fmt.Sprintf("constancia-%d-%d-%d-%d.html", int64(wanted.Cuit), wanted.CbteTipo, wanted.PtoVta, wanted.Number)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Content-Length", strconv.Itoa(made.Len()))
	_, _ = w.Write(made.Bytes()) // a reader who has left gets nothing
	return nil
}

// fill fills the sheet.
func (one *sheet) fill(ctx context.Context, f *found) (err error) {
	if err := one.invoicePage.fill(ctx, f); err != nil {
		return err
	}
	switch kind := f.best.Found.Environment; kind {
	case environment.Production:
	case environment.BuiltIn:
		one.Banner = one.Test
	case "":
		one.Banner = "No consta qué servicio lo autorizó."
	default:
		one.Banner = one.voice.Environment(kind) + "."
	}
	by := f.best.Found.By
	if one.Embed, err = proof.Embed(ctx, f.best.source, by.Log, by.Index, one.Masks); err != nil {
		return err
	}
	one.Proven = "Así consta en el registro " + audit.Address(by.Log, by.Index) + " de la pasarela. Su registro de auditoría solo admite agregados y está firmado"
	if one.Embed == nil {
		one.Proven += "; la prueba de ese registro la da quien opera la pasarela, con el zip de evidencia."
		return nil
	}
	one.Proven += "; la prueba de que está allí sin cambios viene en este archivo."
	script, policy := verifier()
	one.Script, one.Policy = template.JS(script), policy //nolint:gosec // it is the console's own
	return nil
}

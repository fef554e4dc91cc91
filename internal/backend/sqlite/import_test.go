package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
)

// importVariable names a file. With it set, the test binary imports that file into the
// ledger beside it, pausing half-way until its standard input ends.
const importVariable = "FIELATO_TEST_IMPORT"

const importSize = 1100

// importText is an export of one series. It exceeds the page cache, so much of it is
// in the write-ahead log before the commit.
func importText(invoices int) string {
	var b strings.Builder
	b.WriteString(`{"kind":"ledger","form":"fielato-ledger","version":1}` + "\n")
	filler := strings.Repeat("x", 20_000)
	for number := range invoices {
		fmt.Fprintf(&b, `{"kind":"invoice","Cuit":20267565393,"PtoVta":1,"CbteTipo":6,"CbteDesde":%d,"CbteHasta":%[1]d,"CbteFch":"20261106",`+
			`"EmisionTipo":"CAE","CodAutorizacion":"86%012[1]d","FchVto":"20261116","FchProceso":"20261106103015",`+
			`"Detail":{"CbteDesde":%[1]d,"CbteHasta":%[1]d,"CbteFch":"20261106","Opcionales":{"Opcional":[{"Id":"1","Valor":"%s"}]}}}`+"\n", number+1, filler)
	}
	b.WriteString(`{"kind":"end"}` + "\n")
	return b.String()
}

// TestBeTheImporter is the process that TestAKilledImportLeavesNothing kills. By itself
// it does nothing.
func TestBeTheImporter(t *testing.T) {
	path := os.Getenv(importVariable)
	if path == "" {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := sqlite.Open(filepath.Join(filepath.Dir(path), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = backend.Import(t.Context(), ledger, file, func(c backend.Contents) {
		if c.Invoices > importSize*8/10 {
			fmt.Println("half-way")
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
	})
	fmt.Println("done", err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// killImport runs an import in a process of its own and kills it once it has printed
// until.
func killImport(t *testing.T, file, until string) {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBeTheImporter$")
	process.Env = append(os.Environ(), importVariable+"="+file)
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	said := ""
	for scanner := bufio.NewScanner(output); said != until && scanner.Scan(); {
		if said = scanner.Text(); said == "half-way" && said != until {
			input.Close()
		}
	}
	if err := process.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	_ = process.Wait()
	if said != until {
		t.Fatalf("the process ended with %q", said)
	}
}

func TestAKilledImportLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "state.jsonl")
	if err := os.WriteFile(file, []byte(importText(importSize)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		until string
		want  int64
	}{{"half-way", 0}, {"half-way", 0}, {"done <nil>", importSize}} {
		killImport(t, file, c.until)
		ledger := open(t, folder)
		err := ledger.View(t.Context(), func(r backend.Reader) error {
			state, err := r.Series(t.Context(), crashSeries(0))
			if state.Last != c.want {
				t.Errorf("killed at %q, the ledger has %d invoices, want %d", c.until, state.Last, c.want)
			}
			return err
		})
		if err := errors.Join(err, ledger.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnExportIsOneStateOfALedgerAtWork exports while invoices are appended to two
// series in turn. The export must import into an empty ledger, with the second series
// at most one invoice behind the first and never ahead.
func TestAnExportIsOneStateOfALedgerAtWork(t *testing.T) {
	folder := t.TempDir()
	ledger := open(t, folder)
	defer ledger.Close()
	if _, err := backend.Import(t.Context(), ledger, strings.NewReader(importText(50)), nil); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	written := make(chan struct{})
	writer.Go(func() {
		for number := int64(1); ctx.Err() == nil; number++ {
			for i := 1; i <= 2; i++ {
				kept := backend.Invoice{
					CbteDesde: number, CbteHasta: number, CbteFch: "20261106", Code: fmt.Sprintf("87%d%011d", i, number), EmisionTipo: backend.EmisionCAE,
					FchVto: "20261116", FchProceso: "20261106103015",
					Detail: fmt.Appendf(nil, `{"CbteDesde":%d,"CbteHasta":%[1]d,"CbteFch":"20261106"}`, number),
				}
				err := ledger.Update(ctx, func(tx backend.Tx) error { return tx.Append(ctx, crashSeries(i), []backend.Invoice{kept}) })
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
					stop()
				}
			}
			if number == 20 {
				close(written)
			}
		}
	})
	<-written
	for range 4 {
		checkSnapshot(t, ledger)
	}
	stop()
	writer.Wait()
}

func checkSnapshot(t *testing.T, ledger backend.Ledger) {
	t.Helper()
	var text bytes.Buffer
	if _, err := backend.Export(t.Context(), ledger, &text, nil); err != nil {
		t.Fatal(err)
	}
	other := open(t, t.TempDir())
	defer other.Close()
	if _, err := backend.Import(t.Context(), other, bytes.NewReader(text.Bytes()), nil); err != nil {
		t.Fatal(err)
	}
	err := other.View(t.Context(), func(r backend.Reader) error {
		first, err := r.Series(t.Context(), crashSeries(1))
		second, secondErr := r.Series(t.Context(), crashSeries(2))
		if first.Last < second.Last || first.Last > second.Last+1 || second.Last < 19 {
			t.Errorf("the series end at %d and %d", first.Last, second.Last)
		}
		return errors.Join(err, secondErr)
	})
	if err != nil {
		t.Error(err)
	}
}

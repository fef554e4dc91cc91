package backend_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

// heapAt measures the heap after a tenth of so many invoices and after all of them.
func heapAt(invoices int64, early, late *uint64) func(backend.Contents) {
	measure := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	return func(c backend.Contents) {
		switch c.Invoices / 1000 * 1000 {
		case invoices / 10:
			*early = measure()
		case invoices - 1000:
			*late = measure()
		}
	}
}

func TestALargerLedgerNeedsNoMoreMemory(t *testing.T) {
	const invoices = 10_000
	var text strings.Builder
	text.WriteString(`{"kind":"ledger","form":"fielato-ledger","version":1}` + "\n")
	filler := strings.Repeat("x", 400)
	for number := 1; number <= invoices; number++ {
		v := issued(int64(number), int64(number), "20261106", fmt.Sprintf("86%012d", number), `,"Opcionales":{"Opcional":[{"Id":"1","Valor":"`+filler+`"}]}`)
		fmt.Fprintf(&text, `{"kind":"invoice","Cuit":%s,"PtoVta":1,"CbteTipo":6,"CbteDesde":%d,"CbteHasta":%[2]d,"CbteFch":"%s","EmisionTipo":"CAE",`+
			`"CodAutorizacion":"%s","FchVto":"%s","FchProceso":"%s","Detail":%s}`+"\n", issuer, number, v.CbteFch, v.Code, v.FchVto, v.FchProceso, v.Detail)
	}
	text.WriteString(`{"kind":"end"}`)
	ledger, source := newLedger(t), strings.NewReader(text.String())
	checkHeap(t, "import", invoices, func(progress func(backend.Contents)) error {
		_, err := backend.Import(t.Context(), ledger, source, progress)
		return err
	})
	checkHeap(t, "export", invoices, func(progress func(backend.Contents)) error {
		_, err := backend.Export(t.Context(), ledger, io.Discard, progress)
		return err
	})
}

func checkHeap(t *testing.T, name string, invoices int64, run func(func(backend.Contents)) error) {
	t.Helper()
	var early, late uint64
	if err := run(heapAt(invoices, &early, &late)); err != nil {
		t.Fatal(err)
	}
	// The text alone would be ten times as much.
	if early == 0 || late == 0 || late > early+1<<20 {
		t.Errorf("%s: %d bytes kept after a tenth, %d at the end", name, early, late)
	}
}

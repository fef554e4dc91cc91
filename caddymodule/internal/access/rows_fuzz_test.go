package access_test

import (
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/internal/clients"
)

// FuzzRows: no text makes a panic, and the canonical text of each table reads back as the same table, or the
// trail would prove another one.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{
		"shop user shop cuits 20-11111111-2 pto_vta 4 3 may tables issue query rate 10/s burst 20 share 8",
		"client may user \"cuits\" reader cuits * may *\nreader desk user `a\"b` cuits 30-50001091-2 mask",
		`erp certificate "CN=a\, b,O=Example" certificate_san erp.example.com cuits * may FECAESolicitar max_amount 01000.50`,
		"k certificate_key SHA256:00 cuits * may caea\n# a comment\nk user <<E\n  x\n  E cuits *",
		"# nobody",
		"a user \"\\\"\" cuits * may * \\\n share 1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := tableOf(text)
		if err != nil {
			return
		}
		again, err := tableOf([]byte(table.Text()))
		if err != nil || again.Text() != table.Text() || again.Digest() != table.Digest() {
			t.Fatalf("%v\n%s\nreads back as\n%s", err, table.Text(), textOf(again))
		}
		if len(again.Rows()) != len(table.Rows()) || len(again.Clients()) != len(table.Clients()) {
			t.Fatalf("%d rows read back as %d", len(table.Rows()), len(again.Rows()))
		}
	})
}

func tableOf(text []byte) (*clients.Table, error) {
	rows, err := access.ParseRows(text, "customers")
	if err != nil {
		return nil, err //nolint:wrapcheck // a test looks at it
	}
	return clients.NewTable(rows) //nolint:wrapcheck // as above
}

func textOf(table *clients.Table) string {
	if table == nil {
		return "nothing"
	}
	return table.Text()
}

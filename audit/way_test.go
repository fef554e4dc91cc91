package audit_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestWhoHasRead: the identity is the identity alone, also in records that have the way within it.
func TestWhoHasRead(t *testing.T) {
	for _, test := range []struct {
		record audit.Record
		who    string
		way    audit.Way
	}{
		{audit.Record{Kind: audit.KindAccess, ClientIdentity: "contadora", Way: audit.WayConsole}, "contadora", audit.WayConsole},
		{audit.Record{Kind: audit.KindAccess, ClientIdentity: "contadora (console)"}, "contadora", audit.WayConsole},
		{audit.Record{Kind: audit.KindAccess, ClientIdentity: "contadora (console)", Way: audit.WayCommand}, "contadora (console)", audit.WayCommand},
		{audit.Record{Kind: audit.KindAccess, ClientIdentity: "ana@host"}, "ana@host", audit.WayCommand},
		{audit.Record{Kind: audit.KindAccess, ClientIdentity: "fielato on host", Outcome: audit.AccessClients}, "fielato on host", ""},
		{audit.Record{Kind: audit.KindExchange, ClientIdentity: "shop (console)"}, "shop (console)", ""},
	} {
		if who, way := test.record.Reader(); who != test.who || way != test.way {
			t.Errorf("%+v: %s, %s", test.record, who, way)
		}
	}
}

package credential_test

import (
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/credential"
)

// TestIdentity has what tells one customer's certificate from another's.
func TestIdentity(t *testing.T) {
	until := time.Date(2027, 4, 1, 1, 0, 0, 0, time.UTC) // the evening before in Argentina
	for want, subject := range map[string][2]string{
		"erp, CUIT 20111111112, until 2027-03-31":           {"CUIT 20111111112", "erp"},
		"erp, until 2027-03-31":                             {"20111111112", "erp"},
		`"erp\nforged", CUIT 20111111112, until 2027-03-31`: {"CUIT 20111111112", "erp\nforged"},
	} {
		name := wsaatest.Subject("", subject[1])
		name.SerialNumber = subject[0]
		of := wsaatest.NewClient(t, wsaatest.Spec{Subject: name, Until: until})
		c, err := credential.New(of.Certificate, of.Key)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Identity().String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

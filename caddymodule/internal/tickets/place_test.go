package tickets

import (
	"strings"
	"testing"
	"time"
)

// TestAnAddressOfALoginHasNoSecret: logs, records, pages and the admin API name the login service by it. An error does
// not repeat it.
func TestAnAddressOfALoginHasNoSecret(t *testing.T) {
	for _, text := range []string{
		"https://fielato:hunter2@login.example.com/LoginCms", "https://login.example.com/LoginCms?key=hunter2", "https://login.example.com/LoginCms#hunter2",
		"https://fielato:hunter2%zz@login.example.com/", "https://wsaahomo.afip.gov.ar/ws/services/LoginCms?wsdl", "fielato:hunter2@login.example.com", "https://login.example.com/LoginCms?",
	} {
		if at, err := ParsePlace(text); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %+v, %v", text, at, err)
		}
		// In JSON no directive has looked at the address before.
		if _, err := Prepare([]Options{{Login: text, Certificate: "c.pem"}}, time.Unix(0, 0)); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a block of %s: %v", text, err)
		}
	}
	if at, err := ParsePlace("https://login.example.com"); err != nil || at.URL != "https://login.example.com/ws/services/LoginCms" {
		t.Errorf("%+v, %v", at, err)
	}
}

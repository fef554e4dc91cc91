package arca

import (
	"strings"
	"testing"
)

// TestARefusedAddressIsNotRepeatedWithASecret: the error stands in logs, and in what validate and doctor print.
func TestARefusedAddressIsNotRepeatedWithASecret(t *testing.T) {
	for _, text := range []string{
		"https://fielato:hunter2@example.com", "https://fielato:hunter2%@example.com", "fielato:hunter2@example.com", "htps://fielato:hunter2@example.com",
		"https://example.com/?key=hunter2", "https://exa mple.com/?key=hunter2", "https://example.com/#hunter2",
	} {
		if address, path, err := serviceAddress(text); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %q %q, %v", text, address, path, err)
		}
	}
	if address, path, err := serviceAddress("https://example.com/wsfev1/service.asmx"); err != nil || address != "https://example.com" || path != "/wsfev1/service.asmx" {
		t.Errorf("%q %q, %v", address, path, err)
	}
}

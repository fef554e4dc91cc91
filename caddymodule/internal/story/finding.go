package story

import (
	"strings"

	"github.com/fielato/fielato/audit"
)

// IsAboutAnswer reports whether a finding is about the answer of the service, and not about the request.
func IsAboutAnswer(f *audit.Finding) bool { return strings.HasPrefix(f.Code, "answer.") }

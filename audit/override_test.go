package audit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestTheReasonOfAnOverrideCanBeRead: who looks for it years later must see one.
func TestTheReasonOfAnOverrideCanBeRead(t *testing.T) {
	for _, reason := range []string{
		"", " ", "\u3164", "\u3164\u3164 \u3164", "\u115f\u1160\uffa0", "\u2800\u2800", "\ufe0f", "\u200b", "\u00ad", "\u034f", "\u17b4", "\u2060\u2063", "\U000e0100", "\u00a0", "...", "-", "\u0301", "\ufffd", "\xff",
		"dos\nlíneas", strings.Repeat("a", audit.MaxOverride+1),
	} {
		if err := audit.CheckOverride(reason); !errors.Is(err, audit.ErrOverride) {
			t.Errorf("%q is taken: %v", reason, err)
		}
	}
	for _, reason := range []string{"a", "orden 12/2026", "故障", "решение суда", "2026", "café\u0301", "홍길동", "\u3164 por orden judicial", strings.Repeat("ñ", audit.MaxOverride)} {
		if err := audit.CheckOverride(reason); err != nil {
			t.Errorf("%q: %v", reason, err)
		}
	}
}

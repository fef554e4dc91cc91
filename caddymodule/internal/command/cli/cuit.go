package cli

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/wsfev1"
)

// ParseCUIT parses the value of a flag: see wsfev1.ParseCUIT.
func ParseCUIT(text string) (wsfev1.CUIT, error) {
	cuit, err := wsfev1.ParseCUIT(text)
	if err != nil {
		return 0, &refusedError{"not a CUIT: " + err.Error()}
	}
	return cuit, nil
}

// cuitValue is the value of a flag that takes a CUIT.
type cuitValue struct{ cuit *wsfev1.CUIT }

// CUITVar defines a flag that takes a CUIT.
func CUITVar(set *pflag.FlagSet, cuit *wsfev1.CUIT, usage string) {
	set.Var(cuitValue{cuit}, "cuit", usage+", with or without dashes")
	Complete(set, "cuit")
}

// String returns no text for no CUIT: the help then names no default.
func (v cuitValue) String() string {
	if v.cuit == nil || *v.cuit == 0 {
		return ""
	}
	return v.cuit.String()
}

// Type is the name of the value in the help.
func (v cuitValue) Type() string { return "cuit" }

// Set parses the value.
func (v cuitValue) Set(text string) (err error) {
	*v.cuit, err = ParseCUIT(text)
	return err
}

// RemarkOnCUIT says where the check digit of an issuer that is searched for is wrong, and
// which one would be right. A search with it is no error: the trail has what clients mistyped.
//
// Only a command that reads may suggest a CUIT. Any of the digits may be the wrong one, so the
// right check digit may make it somebody else's.
func RemarkOnCUIT(w io.Writer, cuit wsfev1.CUIT) {
	if cuit < 10_000_000_000 || cuit.Valid() {
		return
	}
	right := "no check digit fits the ten before it"
	for digit := range wsfev1.CUIT(10) {
		if candidate := cuit/10*10 + digit; candidate.Valid() {
			right = fmt.Sprintf("with the ten before it the check digit is %d, which makes %s", digit, candidate)
		}
	}
	fmt.Fprintf(w, "--cuit %s: the last digit is wrong; %s\n", cuit, right)
}

// CheckCUIT refuses a CUIT with a wrong check digit, for a command that changes something. It
// suggests none: see RemarkOnCUIT.
func CheckCUIT(cuit wsfev1.CUIT) error {
	if err := cuit.Check(); err != nil {
		return fmt.Errorf("--cuit %s is not a CUIT: %w", cuit, err)
	}
	return nil
}

package validate

import (
	"fmt"

	"github.com/fielato/fielato/wsfev1"
)

// Contract is a set of operations and members that are allowed.
type Contract string

const (
	// Base is the contract of twenty operations and no extension.
	Base Contract = "base"
	// ARCA is the base and the live service's additions to it.
	ARCA Contract = "arca"
)

// ParseContract reads base or arca.
func ParseContract(text string) (Contract, error) {
	switch c := Contract(text); c {
	case Base, ARCA:
		return c, nil
	}
	return "", fmt.Errorf("unknown contract %q: use base or arca", text)
}

// Operation returns the operation of this name if the contract has it, or nil.
func (c Contract) Operation(name string) *wsfev1.Operation {
	op := wsfev1.OperationByName(name)
	if op == nil || op.Extension && c == Base {
		return nil
	}
	return op
}

func (c Contract) allows(m *wsfev1.Member) bool { return !m.Extension || c != Base }

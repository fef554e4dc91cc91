package backend

import (
	_ "embed"
	"fmt"
	"sync"
)

// defaultRegisterName is what errors call the register that is part of the program.
const defaultRegisterName = "tables/register.yaml"

//go:embed tables/register.yaml
var defaultRegister []byte

// DefaultRegister names the test CUITs: one for each code that depends on the issuer or the
// receiver.
func DefaultRegister() *Register { return loadDefaultRegister() }

// loadDefaultRegister panics on a malformed register: the file is part of the program.
var loadDefaultRegister = sync.OnceValue(func() *Register {
	r, err := ReadRegister(defaultRegisterName, defaultRegister)
	if err != nil {
		panic(fmt.Sprintf("backend: %v", err))
	}
	return r
})

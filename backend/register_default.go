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

// DefaultRegister names the test CUITs: somebody for each code that hangs on who
// issues or who receives.
func DefaultRegister() *Register { return loadDefaultRegister() }

// loadDefaultRegister panics on a malformed register: the file is part of the program.
var loadDefaultRegister = sync.OnceValue(func() *Register {
	r, err := ReadRegister(defaultRegisterName, defaultRegister)
	if err != nil {
		panic(fmt.Sprintf("backend: %v", err))
	}
	return r
})

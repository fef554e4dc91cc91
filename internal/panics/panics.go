// Package panics keeps a panic in one task from ending the process. In Go a panic without a
// recover ends the whole program: every series of every issuer, for one odd request.
//
// Each goroutine of Fielato has a recover at its root. A loop also recovers in each turn, so
// that it continues with the next one.
//
// It is a package of its own because every package that starts a goroutine needs it.
package panics

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Error is a panic that was recovered.
type Error struct {
	// Task names what panicked.
	Task string
	// Cause is the text of an error of the Go runtime, and only the type of any other value:
	// its text may quote a request.
	Cause string
	// Stack is the stack of the goroutine. It holds no values.
	Stack []byte
}

// Error implements error.
func (e *Error) Error() string { return "panic in " + e.Task + ": " + e.Cause }

// observer is called for each panic. It is nil until Observe sets it.
var observer atomic.Pointer[func(*Error)]

// Observe has f called for every panic of the process from now on, in place of an earlier
// observer. The goroutine that panicked calls f, which must not panic itself.
func Observe(f func(*Error)) { observer.Store(&f) }

// Do runs a task and returns its error, or an *Error if it panics.
func Do(task string, f func() error) (err error) {
	defer Catch(task, &err)
	return f()
}

// Go runs a task in a goroutine that the group waits for. A panic ends the goroutine alone.
func Go(group *sync.WaitGroup, task string, f func()) {
	group.Go(func() {
		defer Catch(task, nil)
		f()
	})
}

// Catch must be deferred. It recovers a panic and puts it into err as an *Error, joined with
// the error that was there. With a nil err only the observer learns of the panic.
func Catch(task string, err *error) {
	value := recover()
	if value == nil {
		return
	}
	caught := Recovered(task, value)
	if err != nil {
		*err = errors.Join(caught, *err)
	}
}

// Recovered reports a value that the caller has recovered to the observer, and returns it as
// an error.
func Recovered(task string, value any) *Error {
	e := &Error{Task: task, Cause: cause(value), Stack: debug.Stack()}
	if f := observer.Load(); f != nil {
		(*f)(e)
	}
	return e
}

func cause(value any) string {
	if err, ok := value.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("a value of type %T", value)
}

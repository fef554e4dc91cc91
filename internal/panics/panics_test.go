package panics_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/panics"
)

func TestAPanicIsAnErrorThatNamesTheTask(t *testing.T) {
	var seen []*panics.Error
	panics.Observe(func(e *panics.Error) { seen = append(seen, e) })
	defer panics.Observe(func(*panics.Error) {})
	var nothing *struct{ field int }
	err := panics.Do("reading", func() error {
		nothing.field++
		return nil
	})
	caught := new(panics.Error)
	if !errors.As(err, &caught) || caught.Task != "reading" || !strings.Contains(caught.Cause, "nil pointer") {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(string(caught.Stack), "TestAPanicIsAnErrorThatNamesTheTask") {
		t.Errorf("the stack does not tell where: %s", caught.Stack)
	}
	if len(seen) != 1 || seen[0] != caught {
		t.Errorf("the observer was told %d times", len(seen))
	}
}

func TestAPanicTextIsNotRepeated(t *testing.T) {
	for _, value := range []any{"PD94bWwgdG9rZW4", errors.New("PD94bWwgdG9rZW4")} {
		err := panics.Do("writing", func() error { panic(value) })
		if err == nil || strings.Contains(err.Error(), "PD94") {
			t.Errorf("error %v", err)
		}
		caught := new(panics.Error)
		if errors.As(err, &caught) && strings.Contains(string(caught.Stack), "PD94") {
			t.Errorf("stack %s", caught.Stack)
		}
	}
}

func TestWhatDoesNotPanicReturnsItsError(t *testing.T) {
	want := errors.New("no room")
	for _, err := range []error{nil, want} {
		if got := panics.Do("writing", func() error { return err }); !errors.Is(got, err) || (got == nil) != (err == nil) {
			t.Errorf("%v, want %v", got, err)
		}
	}
}

func TestAnErrorBesideAPanicIsKept(t *testing.T) {
	want := errors.New("no room")
	err := func() (err error) {
		defer panics.Catch("writing", &err)
		defer func() { err = want; panic("x") }()
		return nil
	}()
	if !errors.Is(err, want) || !errors.As(err, new(*panics.Error)) {
		t.Errorf("%v", err)
	}
}

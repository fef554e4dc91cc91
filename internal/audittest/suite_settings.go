package audittest

import (
	"errors"
	"testing"
)

func secretStays(t *testing.T, open Open) {
	s := open(t)
	made := 0
	create := func(value string) func() ([]byte, error) {
		return func() ([]byte, error) { made++; return []byte(value), nil }
	}
	if _, err := s.Secret(t.Context(), "a", func() ([]byte, error) { return nil, ErrInjected }); !errors.Is(err, ErrInjected) {
		t.Fatalf("error of create: %v", err)
	}
	for _, value := range []string{"one", "two"} {
		got, err := s.Secret(t.Context(), "a", create(value))
		if err != nil || string(got) != "one" {
			t.Fatalf("secret a: %q, %v; want one", got, err)
		}
		s = reopen(t, s, open)
	}
	got, err := s.Secret(t.Context(), "b", create("other"))
	if err != nil || string(got) != "other" || made != 2 {
		t.Fatalf("secret b: %q, %v, made %d", got, err, made)
	}
	closeStore(t, s)
}

func settingIsTheLast(t *testing.T, open Open) {
	s := open(t)
	want := func(name, want string, kept bool) {
		t.Helper()
		got, err := s.Setting(t.Context(), name)
		if err != nil || string(got) != want || (got != nil) != kept {
			t.Fatalf("setting %s: %q (kept %v), %v; want %q", name, got, got != nil, err, want)
		}
	}
	want("a", "", false)
	for _, value := range []string{"one", "two", "", "one"} {
		if err := s.SetSetting(t.Context(), "a", []byte(value)); err != nil {
			t.Fatal(err)
		}
		want("a", value, true)
		s = reopen(t, s, open)
		want("a", value, true)
	}
	if err := s.SetSetting(t.Context(), "none", nil); err != nil {
		t.Fatal(err)
	}
	want("none", "", true)
	want("b", "", false)
	// It is not one of the secrets.
	if got, err := s.Secret(t.Context(), "a", func() ([]byte, error) { return []byte("secret"), nil }); err != nil || string(got) != "secret" {
		t.Fatalf("secret a: %q, %v", got, err)
	}
	want("a", "one", true)
	closeStore(t, s)
	if err := s.SetSetting(t.Context(), "a", nil); err == nil {
		t.Error("a setting after close: no error")
	}
}

package strictjson_test

import (
	"testing"

	"github.com/fielato/fielato/internal/strictjson"
	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

type part struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

type whole struct {
	Parts []part `json:"parts"`
	First part   `json:"first"`
	Note  string `json:"note,omitzero"`
	_     int
}

// TestOneSpellingIsRead, and no other.
func TestOneSpellingIsRead(t *testing.T) {
	for text, want := range map[string]bool{
		`{"parts":[{"name":"a","size":-1}],"first":{"name":"","size":0}}`:         true,
		`{"parts":[],"first":{"name":"","size":0},"note":"x"}`:                    true,
		`{"parts":[{"name":"a","size":-0}],"first":{"name":"","size":0}}`:         false,
		`{"parts":[{"name":"a"}],"first":{"name":"","size":0}}`:                   false,
		`{"parts":[{"name":"a","size":1.0}],"first":{"name":"","size":0}}`:        false,
		`{"parts":[],"first":{"name":""}}`:                                        false,
		`{"first":{"name":"","size":0}}`:                                          false,
		`{"parts":null,"first":{"name":"","size":0}}`:                             false,
		`{"parts":[],"first":{"name":"","size":0},"more":1}`:                      false,
		`{"parts":[],"first":{"name":"","size":0}}{}`:                             false,
		`{"parts":[],"parts":[],"first":{"name":"","size":0}}`:                    false,
		`{"parts":[],"first":{"name":"","size":0},"note":null}`:                   false,
		`{"parts":[{"name":"a","Size":1,"size":1}],"first":{"name":"","size":0}}`: false,
	} {
		if err := strictjson.Unmarshal([]byte(text), new(whole)); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

package openapi_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/openapi"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestDocumentIsFresh: the document in the repository is the one generated from the types.
func TestDocumentIsFresh(t *testing.T) {
	root := t.TempDir()
	folder, types := filepath.Join(root, "internal", "openapi"), filepath.Join(root, "wsfev1")
	for _, made := range []string{folder, types} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(t.TempDir(), "generate")
	if out, err := exec.Command("go", "build", "-o", binary, "./generate").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sources, err := filepath.Glob("../../wsfev1/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(types, filepath.Base(source)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	generate := exec.Command(binary)
	generate.Dir = folder
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fresh, err := os.ReadFile(filepath.Join(folder, "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, openapi.Document) {
		t.Error("openapi.json is stale: run go generate ./internal/openapi")
	}
}

// TestEachExampleIsWhatTheGatewayTakes: well-formed, and of the operation's own types.
func TestEachExampleIsWhatTheGatewayTakes(t *testing.T) {
	type media struct {
		Content map[string]struct{ Example any } `json:"content"`
	}
	var document struct {
		Paths map[string]struct {
			Post struct {
				RequestBody media            `json:"requestBody"`
				Responses   map[string]media `json:"responses"`
			} `json:"post"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(openapi.Document, &document, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	for _, op := range wsfev1.Operations {
		post := document.Paths[wsfev1.PathPrefix+op.Name].Post
		body, err := json.Marshal(post.RequestBody.Content["application/json"].Example)
		if err != nil {
			t.Fatal(err)
		}
		if _, findings := validate.Decode(op, body, validate.ARCA); len(findings) > 0 {
			t.Errorf("%s: %s: %v", op.Name, body, findings)
		}
		if body, err = json.Marshal(post.Responses["200"].Content["application/json"].Example); err != nil {
			t.Fatal(err)
		}
		if findings := validate.DecodeAnswer(op.Answer, body, op.NewAnswer()); len(findings) > 0 {
			t.Errorf("%s: %s: %v", op.Name, body, findings)
		}
	}
}

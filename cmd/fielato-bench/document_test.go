package main

import (
	"context"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fielato/fielato/internal/openapi"
	"github.com/fielato/fielato/wsfev1"
)

func loadDocument(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestAnIndependentLibraryTakesTheDocument, and each example by its schema.
func TestAnIndependentLibraryTakesTheDocument(t *testing.T) {
	document := loadDocument(t)
	if err := document.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	if paths := document.Paths.Len(); paths != len(wsfev1.Operations) {
		t.Errorf("%d paths for %d operations", paths, len(wsfev1.Operations))
	}
	for _, op := range wsfev1.Operations {
		post := document.Paths.Find(wsfev1.PathPrefix + op.Name).Post
		request := post.RequestBody.Value.Content["application/json"]
		if err := request.Schema.Value.VisitJSON(request.Example); err != nil {
			t.Errorf("%s: the request: %v", op.Name, err)
		}
		answer := post.Responses.Status(200).Value.Content["application/json"]
		if err := answer.Schema.Value.VisitJSON(answer.Example); err != nil {
			t.Errorf("%s: the answer: %v", op.Name, err)
		}
	}
}

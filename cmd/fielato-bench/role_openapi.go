package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/fielato/fielato/internal/openapi"
)

// checkByDocument passes on the requests that are valid by the OpenAPI document, as the users of
// kin-openapi do it. The document is taken as one of version 3.0, which differs in the bounds
// of numbers alone: kin-openapi compiles the schemas of 3.1 anew for each request, and
// would be far slower.
func checkByDocument(next http.Handler) (http.Handler, error) {
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		return nil, fmt.Errorf("reading the OpenAPI document: %w", err)
	}
	document.OpenAPI = "3.0.3"
	for _, schema := range document.Components.Schemas {
		boundsOf30(schema)
	}
	if err := document.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("taking the OpenAPI document as 3.0: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		item := document.Paths.Find(r.URL.Path)
		if item == nil || item.Post == nil || r.Method != http.MethodPost {
			http.Error(w, "no such operation", http.StatusNotFound)
			return
		}
		err := openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
			Request: r,
			Route:   &routers.Route{Spec: document, Path: r.URL.Path, PathItem: item, Method: r.Method, Operation: item.Post},
			Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// boundsOf30 writes the bounds of numbers, also of those inside, as version 3.0 has them:
// there an exclusive bound is an inclusive one and a boolean.
func boundsOf30(ref *openapi3.SchemaRef) {
	if ref == nil || ref.Value == nil {
		return
	}
	schema := ref.Value
	yes := true
	if bound := schema.ExclusiveMin.Value; bound != nil {
		schema.Min, schema.ExclusiveMin = bound, openapi3.ExclusiveBound{Bool: &yes}
	}
	if bound := schema.ExclusiveMax.Value; bound != nil {
		schema.Max, schema.ExclusiveMax = bound, openapi3.ExclusiveBound{Bool: &yes}
	}
	boundsOf30(schema.Items)
	for _, member := range schema.Properties {
		boundsOf30(member) // which ends: no type of the service holds itself
	}
}

package main

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// object is a JSON object; its members are written in the order of their names, so that
// the document changes where something has changed.
type object map[string]any

const about = "Argentina's electronic invoicing (WSFEv1) as JSON over HTTP: twenty operations, and two that the live " +
	"service has besides (x-extension). Names are exact and case-sensitive; a request with a member that is not " +
	"listed here, or with one twice, is refused. Amounts are exact decimals in pesos or in the invoice's currency: " +
	"write them with their decimals and read them as decimals, never as binary floating point. Dates are yyyymmdd, " +
	"moments yyyymmddhhmmss, in Argentina's time. An answer with HTTP status 200 may still hold Errors."

// document returns the OpenAPI document of the package in a folder.
func document(folder string) ([]byte, error) {
	said, err := readComments(folder)
	if err != nil {
		return nil, err
	}
	d := describer{said: said, schemas: object{}}
	paths := object{}
	for _, op := range wsfev1.Operations {
		path, err := d.path(op)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.Name, err)
		}
		paths[wsfev1.PathPrefix+op.Name] = object{"post": path}
	}
	d.schemas["ErrorBody"] = errorBody
	return json.Marshal(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "WSFEv1 over JSON", "version": "1", "description": about,
			"x-generated": "by go generate ./internal/openapi; do not edit",
		},
		"servers":    []any{object{"url": "/"}},
		"tags":       tags,
		"paths":      paths,
		"components": object{"schemas": d.schemas, "headers": answerHeaders},
	}, json.Deterministic(true), jsontext.WithIndent("  "))
}

var tags = []any{
	object{"name": string(wsfev1.FamilyIssuing), "description": "Authorise or report invoices."},
	object{"name": string(wsfev1.FamilyCAEA), "description": "Advance authorisation codes."},
	object{"name": string(wsfev1.FamilyQuery), "description": "Ask about invoices that are there."},
	object{"name": string(wsfev1.FamilyTable), "description": "Reference tables, points of sale, exchange rates."},
	object{"name": string(wsfev1.FamilyHealth), "description": "Whether the service is up."},
}

// errorBody is what a refused request is answered with (docs/sources.md#contract).
var errorBody = object{
	"type": "object", "required": []any{"Errors"},
	"description": "What a request is answered with that was not processed.",
	"properties": object{"Errors": object{
		"type": "object", "required": []any{"Err"},
		"properties": object{"Err": object{"type": "array", "items": object{
			"type": "object", "required": []any{"Code", "Msg"},
			"properties": object{"Code": object{"type": "string"}, "Msg": object{"type": "string"}},
		}}},
	}},
}

// answerHeaders are those that the gateway adds to every answer.
var answerHeaders = object{
	"Wsfev1-Record":  object{"description": "Address of the exchange's record in the trail: LOG/INDEX.", "schema": object{"type": "string"}},
	"Wsfev1-Outcome": object{"description": "What became of the exchange, in one word: approved, rejected, recovered, replayed, …", "schema": object{"type": "string"}},
}

// path describes one operation.
func (d *describer) path(op *wsfev1.Operation) (object, error) {
	request, answer, err := exampleOf(op)
	if err != nil {
		return nil, err
	}
	path := object{
		"operationId": op.Name, "tags": []any{string(op.Family)}, "summary": summaries[op.Name],
		"requestBody": object{"required": true, "content": content(d.reference(op.Request), request)},
		"responses": object{
			"200":     reply("The service's answer, which may hold Errors.", content(d.named(op.Answer, op.Name+"Answer"), answer)),
			"400":     reply("The request is not one of the interface: it was not sent.", content(reference("ErrorBody"), nil)),
			"default": reply("No answer of the service: the code tells why, Retry-After when to come again. With 502, 503 and 504 the same request may be sent again, unchanged.", content(reference("ErrorBody"), nil)),
		},
	}
	if op.Extension {
		path["x-extension"] = true
	}
	if op.Effect == wsfev1.EffectChanges {
		path["parameters"] = []any{object{
			"name": "Idempotency-Key", "in": "header", "schema": object{"type": "string", "maxLength": 255},
			"description": "A text of the client's own, the same for the same request: a repeat is answered as the first one was.",
		}}
	}
	return path, nil
}

func reply(description string, content object) object {
	return object{"description": description, "content": content, "headers": object{
		"Wsfev1-Record":  object{"$ref": "#/components/headers/Wsfev1-Record"},
		"Wsfev1-Outcome": object{"$ref": "#/components/headers/Wsfev1-Outcome"},
	}}
}

func content(schema object, example any) object {
	media := object{"schema": schema}
	if example != nil {
		media["example"] = example
	}
	return object{"application/json": media}
}

package caddytest

import "github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"

// What package fixture has, under the names that the tests of this house know it by.
const (
	Token        = fixture.Token
	Sign         = fixture.Sign
	AuthText     = fixture.AuthText
	FragmentSize = fixture.FragmentSize
)

// Markers are fixture.Markers.
type Markers = fixture.Markers

// NewMarkers is fixture.NewMarkers.
func NewMarkers() Markers { return fixture.NewMarkers() }

// Invoice is fixture.Invoice.
func Invoice(number int) string { return fixture.Invoice(number) }

// InvoiceOf is fixture.InvoiceOf.
func InvoiceOf(number int, more string) string { return fixture.InvoiceOf(number, more) }

// RequestsWithCredentials is fixture.RequestsWithCredentials.
func RequestsWithCredentials() map[string]string { return fixture.RequestsWithCredentials() }

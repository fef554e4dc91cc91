// Package view shows records: as tables and texts for people, as JSON for programs.
//
// A printer writes rows, or one record with all its fields. What a record quotes comes from
// clients and from the service: control characters are never written as they came. The
// package reads nothing and decides nothing.
package view

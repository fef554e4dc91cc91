package fill

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// Member is the member that is filled in. No other is.
const Member = "CondicionIVAReceptorId"

// Source holds the operator's declarations. It does not change. The nil Source fills nothing.
type Source struct {
	table    *Table
	defaults []int32
}

// classes are the classes of vouchers.
var classes = []wsfev1.Class{wsfev1.ClassA, wsfev1.ClassALEY, wsfev1.ClassB, wsfev1.ClassC, wsfev1.Class49}

var errNoSource = errors.New("nothing to fill in from: name a table, or default with a condition")

// NewSource returns a source of a table, defaults, or both. Of the defaults an invoice gets the first
// that its class admits. One that can never be used is an error.
func NewSource(table *Table, defaults []int32) (*Source, error) {
	if table == nil && len(defaults) == 0 {
		return nil, errNoSource
	}
	s := &Source{table: table}
	for _, id := range defaults {
		if !wsfev1.IsCondicionIVAReceptor(id) {
			return nil, fmt.Errorf("default %d is none of FEParamGetCondicionIvaReceptor: %s", id, conditionsOf(""))
		}
		if !slices.ContainsFunc(classes, func(class wsfev1.Class) bool {
			return wsfev1.AdmitsCondicionIVAReceptor(class, id) && s.defaultOf(class) == 0
		}) {
			return nil, fmt.Errorf("default %d is never used: each class that admits it has one before", id)
		}
		s.defaults = append(s.defaults, id)
	}
	return s, nil
}

// defaultOf returns the default of a class, 0 for none.
func (s *Source) defaultOf(class wsfev1.Class) int32 {
	for _, id := range s.defaults {
		if wsfev1.AdmitsCondicionIVAReceptor(class, id) {
			return id
		}
	}
	return 0
}

// origin is the rule by which a condition was found.
type origin uint8

const (
	fromNothing origin = iota
	fromTable
	fromDefault
	// unfit: the table has a condition that the class does not admit.
	unfit
)

// of returns the condition of an invoice's receiver. The table goes before the defaults, also with a
// condition that does not fit: a default would contradict a known fact about the receiver.
func (s *Source) of(class wsfev1.Class, invoice *wsfev1.FECAEDetRequest) (id int32, from origin) {
	if id, ok := s.table.condition(invoice.DocTipo, invoice.DocNro); ok {
		if !wsfev1.AdmitsCondicionIVAReceptor(class, id) {
			return id, unfit
		}
		return id, fromTable
	}
	if id := s.defaultOf(class); id != 0 {
		return id, fromDefault
	}
	return 0, fromNothing
}

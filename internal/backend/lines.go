package backend

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// An exported ledger is JSON Lines: a head, advance codes, declarations without movement, the
// invoices of each series by number, and an end, without which the file was cut. Members have
// the service's own names if there are any.
const (
	exportForm = "fielato-ledger"
	// exportVersion counts the forms. A member that an older Fielato does not know
	// makes a new one, because it refuses members that it does not know.
	exportVersion = 1
)

// The kinds of lines.
const (
	kindHead          = "ledger"
	kindCAEA          = "caea"
	kindSinMovimiento = "sin_movimiento"
	kindInvoice       = "invoice"
	kindEnd           = "end"
)

// Contents counts what a ledger holds.
type Contents struct {
	CAEAs         int64 `json:"caeas"`
	SinMovimiento int64 `json:"sin_movimiento"`
	Invoices      int64 `json:"invoices"`
}

// String returns the counts on one line.
func (c Contents) String() string {
	return fmt.Sprintf("invoices %d, CAEAs %d, declarations without movement %d", c.Invoices, c.CAEAs, c.SinMovimiento)
}

// anyLine is what every line has.
type anyLine struct {
	Kind string `json:"kind"`
}

type headLine struct {
	Kind    string `json:"kind"`
	Form    string `json:"form"`
	Version int    `json:"version"`
}

type caeaLine struct {
	Kind        string `json:"kind"`
	CAEA        string
	Cuit        wsfev1.CUIT
	Periodo     int32
	Orden       int16
	FchVigDesde wsfev1.Date
	FchVigHasta wsfev1.Date
	FchTopeInf  wsfev1.Date
	FchProceso  wsfev1.Timestamp
}

type sinMovimientoLine struct {
	Kind       string `json:"kind"`
	CAEA       string
	PtoVta     int32
	FchProceso wsfev1.Date
}

type invoiceLine struct {
	Kind            string `json:"kind"`
	Cuit            wsfev1.CUIT
	PtoVta          int32
	CbteTipo        int32
	CbteDesde       int64
	CbteHasta       int64
	CbteFch         wsfev1.Date
	EmisionTipo     string
	CodAutorizacion string
	FchVto          wsfev1.Date
	FchProceso      wsfev1.Timestamp
	// Detail and Observaciones are the members of an Invoice, byte for byte. An encoder
	// would write them anew, so the exporter adds them to the encoded line.
	Detail        jsontext.Value `json:",omitzero"`
	Observaciones jsontext.Value `json:",omitzero"`
}

type endLine struct {
	Kind string `json:"kind"`
	// Count is the contents of the lines before; it may be left out.
	Count *Contents `json:"count,omitzero"`
}

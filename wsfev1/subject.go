package wsfev1

import (
	"reflect"
	"strconv"
)

// Lot holds the parts that the two issuing requests have in common.
type Lot struct {
	Header *FeCabReq
	// HeaderPointer and DetailPointer are the JSON Pointers of the header and of
	// the list of details.
	HeaderPointer, DetailPointer string

	// One of the two holds the invoices, by operation; the other is nil.
	cae  []FECAEDetRequest
	caea []FECAEADetRequest
}

// Len returns the number of invoices.
func (l *Lot) Len() int {
	if l == nil {
		return 0
	}
	return len(l.cae) + len(l.caea)
}

// has reports whether there is an i-th invoice.
func (l *Lot) has(i int) bool { return i >= 0 && i < l.Len() }

// Invoice returns the i-th invoice, counted from 0, nil if there is none.
func (l *Lot) Invoice(i int) *FECAEDetRequest {
	switch {
	case !l.has(i):
		return nil
	case l.caea != nil:
		return &l.caea[i].FECAEDetRequest
	}
	return &l.cae[i]
}

// CAEAInvoice returns the i-th invoice, counted from 0, with the members that a
// FECAEARegInformativo has beyond Invoice's; nil for a FECAESolicitar, and if there
// is no such invoice.
func (l *Lot) CAEAInvoice(i int) *FECAEADetRequest {
	if !l.has(i) || l.caea == nil {
		return nil
	}
	return &l.caea[i]
}

// InvoicePointer returns the JSON Pointer of the i-th invoice, no text without a lot.
func (l *Lot) InvoicePointer(i int) string {
	if l == nil {
		return ""
	}
	return l.DetailPointer + "/" + strconv.Itoa(i)
}

// LotOf returns the lot of an issuing request, or nil for any other request.
//
// It is short enough to be inlined, so that the Lot needs no memory of its own in a caller that does not keep it.
func LotOf(request any) *Lot { return new(Lot).of(request) }

// of makes l the lot of a request and returns it, nil if the request has none.
func (l *Lot) of(request any) *Lot {
	switch r := request.(type) {
	case *FECAESolicitarRequest:
		if r == nil {
			return nil
		}
		*l = Lot{
			Header:        &r.FeCAEReq.FeCabReq,
			HeaderPointer: "/FeCAEReq/FeCabReq",
			DetailPointer: "/FeCAEReq/FeDetReq/FECAEDetRequest",
			cae:           r.FeCAEReq.FeDetReq.FECAEDetRequest,
		}
	case *FECAEARegInformativoRequest:
		if r == nil {
			return nil
		}
		*l = Lot{
			Header:        &r.FeCAEARegInfReq.FeCabReq,
			HeaderPointer: "/FeCAEARegInfReq/FeCabReq",
			DetailPointer: "/FeCAEARegInfReq/FeDetReq/FECAEADetRequest",
			caea:          r.FeCAEARegInfReq.FeDetReq.FECAEADetRequest,
		}
	default:
		return nil
	}
	return l
}

// Subject is what an exchange is about: the keys by which people look for it.
type Subject struct {
	Cuit     CUIT
	PtoVta   int32
	CbteTipo int32
	// Invoices are the number ranges asked for, in the order of the request.
	Invoices []InvoiceRange
	// CAEA is the advance code that the request names. In a lot the first invoice names it, and others may name another
	// (Lot.CAEAInvoice).
	CAEA string
}

// InvoiceRange is a range of numbers within a series.
type InvoiceRange struct{ CbteDesde, CbteHasta int64 }

// SubjectOf reads the subject of a request. A field that the request lacks is zero.
func SubjectOf(request any) Subject {
	if isNil(request) {
		return Subject{}
	}
	s := Subject{Cuit: AuthOf(request).Cuit}
	if lot := LotOf(request); lot != nil {
		s.PtoVta, s.CbteTipo = lot.Header.PtoVta, lot.Header.CbteTipo
		s.Invoices = make([]InvoiceRange, lot.Len())
		for i := range s.Invoices {
			invoice := lot.Invoice(i)
			s.Invoices[i] = InvoiceRange{invoice.CbteDesde, invoice.CbteHasta}
		}
	}
	switch r := request.(type) {
	case *FECAEARegInformativoRequest:
		if details := r.FeCAEARegInfReq.FeDetReq.FECAEADetRequest; len(details) > 0 {
			s.CAEA = details[0].CAEA
		}
	case *FECompConsultarRequest:
		q := r.FeCompConsReq
		s.PtoVta, s.CbteTipo = q.PtoVta, q.CbteTipo
		s.Invoices = []InvoiceRange{{q.CbteNro, q.CbteNro}}
	case *FECompUltimoAutorizadoRequest:
		s.PtoVta, s.CbteTipo = r.PtoVta, r.CbteTipo
	case *FECAEASinMovimientoRequest:
		s.PtoVta, s.CAEA = r.PtoVta, r.CAEA
	}
	return s
}

// isNil reports whether a value is nil, or a nil pointer to one of the types.
func isNil(value any) bool {
	v := reflect.ValueOf(value)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// AuthOf returns the credentials of a request, the zero Auth for FEDummy.
func AuthOf(request any) Auth {
	if isNil(request) {
		return Auth{}
	}
	switch r := request.(type) {
	case *AuthRequest:
		return r.Auth
	case *FECAESolicitarRequest:
		return r.Auth
	case *FECAEARegInformativoRequest:
		return r.Auth
	case *FECompConsultarRequest:
		return r.Auth
	case *FECompUltimoAutorizadoRequest:
		return r.Auth
	case *FECAEASolicitarRequest:
		return r.Auth
	case *FECAEASinMovimientoRequest:
		return r.Auth
	case *FEParamGetCotizacionRequest:
		return r.Auth
	case *FEParamGetCondicionIvaReceptorRequest:
		return r.Auth
	}
	return Auth{}
}

// WithAuth returns a copy of a request with other credentials, which shares all the rest with it; the
// request itself if it holds none.
func WithAuth(request any, auth Auth) any {
	v := reflect.ValueOf(request)
	if isNil(request) || v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return request
	}
	made := reflect.New(v.Elem().Type())
	made.Elem().Set(v.Elem())
	into := made.Elem().FieldByName("Auth")
	if !into.IsValid() || into.Type() != reflect.TypeFor[Auth]() {
		return request
	}
	into.Set(reflect.ValueOf(auth))
	return made.Interface()
}

package backend

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// literal is a sentence that ARCA's service was seen to send with a code (docs/sources.md#literals).
// Names in braces stand for values of the request.
type literal struct {
	code int32
	// operation is the one whose answer has the sentence, empty for any.
	operation string
	// when reports whether the sentence is about this finding; nil is always. The service has
	// several for some codes, and not all of them are known.
	when func(*said) bool
	text string
}

// said is a finding and what it is about.
type said struct {
	validate.Finding
	call *call
	// invoice is the one that is wrong, nil for the request as a whole.
	invoice  *wsfev1.FECAEDetRequest
	cbteTipo int32
	class    wsfev1.Class
}

// literals are tried in their order; the first that is about the finding is taken. Double blanks,
// missing accents and misprints are the service's own.
var literals = []literal{
	{602, "FECompConsultar", nil, nothingRegistered},
	{602, "FECAEAConsultar", nil, nothingRegistered},
	{602, "FEParamGetPtosVenta", nil, "Sin Resultados: - Metodo FEParamGetPtosVenta"},
	{602, "FEParamGetCotizacion", nil, "Sin Resultados: - Metodo FEParamGetCotizacion.Codigo  de moneda ({MonId}) inexistente o SIN cotización"},
	{713, "", nil, "El campo Concepto es obligatorio y debe corresponder con algún valor devuelto por el método FEParamGetTiposConcepto"},
	{724, "", nil, "El campo  'Importe Total' ImpTotal, debe ser igual  a la  suma de ImpTotConc + ImpNeto + ImpOpEx + ImpTrib + ImpIVA."},
	{782, "", nil, "El <CAEA> es obligatorio informarlo."},
	{1200, "", nil, "El codigo de autorizacion debe ser del tipo CAEA"},
	{10002, authorising, nil, "No coincide la cantidad de registros informadas con la cantidad real enviada"},
	{10002, informing, nil, "Campo CantReg debe ser igual a lo informado en detalle. Informado: {CantReg}, Enviado:{sent}"},
	{10015, "", isNamedInClassA, "El campo  DocNro es invalido."},
	{10015, "", isNamedInClassB, "Factura B (CbteDesde igual a CbteHasta), DocTipo: {DocTipo}, DocNro {DocNro} no se encuentra registrado en los padrones de AFIP y no corresponde a una cuit pais."},
	{10015, "", isNumberOfNobody, "Para facturas B (CbteDesde igual a CbteHasta) menor a $10000000, si DocTipo = 99 DocNro debe ser igual a 0"},
	{10016, "", isOutOfSequence, "El numero o fecha del comprobante no se corresponde con el proximo a autorizar. Consultar metodo FECompUltimoAutorizado."},
	{10016, "", isDateOfCreditNote, "Campo CbteFch Debe estar comprendido  en el  rango  N-5 y N siendo N la fecha de envio del pedido de autorizacion para Facturas de Credito del tipo Nota de Debito o Nota de Credito"},
	{10016, "", isDateOfProducts, "Campo CbteFch Debe estar comprendido  en el  rango  N-5 y N+5 siendo N la fecha de envio del pedido  de autorizacion para 1 - Productos"},
	{10017, "", nil, "Factura individual, DocTipo: {DocTipo}, DocNro {DocNro} no se encuentra registrado en los padrones de AFIP."},
	{10018, "", isWithoutIVA, "Si ImpIva es igual a 0 el objeto Iva y AlicIva son obligatorios. Id iva = 3 (iva 0)"},
	{10051, "", nil, "Los importes informados en AlicIVA no se corresponden con los porcentajes."},
	{10056, "", isAmount, "El campo {member} soporta 13 numeros para la parte entera y 2 para los decimales."},
	{10063, "", nil, "Factura (CbteDesde igual a CbteHasta), DocTipo, DocNro, no se encuentra inscripto en condicion ACTIVA en el impuesto (IVA)."},
	{10076, "", nil, "Si el comprobante es CbteTipo = 49 (Bienes Usados), es obligatorio informar opcionales. Ver método FEParamGetTiposOpcional()"},
	{10163, "", nil, "El campo FchVtoPago es obligatorio informar si es una Factura de Credito."},
	{10217, "", nil, "El credito fiscal discriminado en el presente comprobante solo podra ser computado a efectos del Procedimiento permanente de transicion al Regimen General."},
	{10246, "", nil, "Campo Condicion Frente al IVA del receptor es obligatorio conforme a lo reglamentado por la Resolucion General Nro 5616. Para mas informacion consular metodo FEParamGetCondicionIvaReceptor"},
	{15004, "FECAEAConsultar", nil, "El campo <Periodo> debe tener el formato AAAAMM, donde AAAA indica el año y MM el mes en números."},
	{15006, "", nil, "Fecha de envío podrá ser desde 5 días corridos anteriores al inicio hasta el último dia de cada quincena. Del {from} hasta {to}"},
	{15008, "", nil, "Existe un CAEA otorgado para la CUIT solicitante con el periodo y orden informado. Consultar el metodo FECAEAConsultar."},
	{15015, "", nil, " Registra problemas en el domicilio fiscal electrónico. No se encuentra adherido "},
}

const nothingRegistered = "No existen datos en nuestros registros para los parametros ingresados."

// text is the Msg of a finding.
func (c *call) text(f validate.Finding) string {
	if c.texts == TextsARCA {
		if s := c.said(f); s != nil {
			return s.sentence()
		}
	}
	return textOf(f)
}

// said returns a finding of which the service's sentence is known, nil for any other.
func (c *call) said(f validate.Finding) *said {
	s := &said{Finding: f, call: c}
	if lot := wsfev1.LotOf(c.request.Body); lot != nil {
		s.cbteTipo, s.class = lot.Header.CbteTipo, wsfev1.ClassOf(lot.Header.CbteTipo)
		if f.Invoice >= 0 && f.Invoice < lot.Len() {
			s.invoice = lot.Invoice(f.Invoice)
		}
	}
	if s.literal() == nil {
		return nil
	}
	return s
}

func (s *said) literal() *literal {
	for i := range literals {
		l := &literals[i]
		if l.code == s.Number() && (l.operation == "" || l.operation == s.call.request.Operation.Name) && (l.when == nil || l.when(s)) {
			return l
		}
	}
	return nil
}

// sentence is the service's sentence with the values of the request.
func (s *said) sentence() string {
	var values []string
	put := func(name, value string) { values = append(values, "{"+name+"}", value) }
	if s.invoice != nil {
		put("DocTipo", strconv.Itoa(int(s.invoice.DocTipo)))
		put("DocNro", strconv.FormatInt(s.invoice.DocNro, 10))
		put("member", s.member())
	}
	switch body := s.call.request.Body.(type) {
	case *wsfev1.FEParamGetCotizacionRequest:
		put("MonId", body.MonId) // one of the table: others are 12000
	case *wsfev1.FECAEARegInformativoRequest:
		put("CantReg", strconv.Itoa(int(body.FeCAEARegInfReq.FeCabReq.CantReg)))
		put("sent", strconv.Itoa(len(body.FeCAEARegInfReq.FeDetReq.FECAEADetRequest)))
	case *wsfev1.FECAEASolicitarRequest:
		asked, _ := wsfev1.FortnightOf(body.Periodo, body.Orden)
		put("from", monthFirst(asked.Opens()))
		put("to", monthFirst(asked.To))
	}
	return strings.NewReplacer(values...).Replace(s.literal().text)
}

// monthFirst writes a day as the service does in a text, such as 3/31/2016.
func monthFirst(day wsfev1.Date) string {
	t, ok := day.Time()
	if !ok {
		return ""
	}
	return t.Format("1/2/2006")
}

func isSingle(s *said) bool { return s.invoice != nil && s.invoice.CbteDesde == s.invoice.CbteHasta }

func isNamedInClassA(s *said) bool {
	return s.invoice != nil && s.class == wsfev1.ClassA && !wsfev1.IsFCE(s.cbteTipo) && s.invoice.DocTipo == docCUIT
}

func isNamedInClassB(s *said) bool {
	return isSingle(s) && s.class == wsfev1.ClassB && !wsfev1.IsFCE(s.cbteTipo) && slices.Contains([]int32{docCUIT, docCUIL, docCDI}, s.invoice.DocTipo) && s.invoice.DocNro > 0
}

// isNumberOfNobody is true since the day of the threshold in the sentence.
func isNumberOfNobody(s *said) bool {
	return isSingle(s) && s.class == wsfev1.ClassB && s.invoice.DocTipo == 99 && s.invoice.DocNro != 0 && s.call.today >= "20250529"
}

func isOutOfSequence(s *said) bool { return s.Severity == validate.SEQ }

func hasDate(s *said) bool {
	return s.invoice != nil && s.Severity == validate.EXC && s.invoice.CbteFch.Valid()
}

func isDateOfCreditNote(s *said) bool {
	return hasDate(s) && wsfev1.IsFCE(s.cbteTipo) && wsfev1.IsNote(s.cbteTipo)
}

func isDateOfProducts(s *said) bool {
	return hasDate(s) && !wsfev1.IsFCE(s.cbteTipo) && s.invoice.Concepto == 1
}

func isWithoutIVA(s *said) bool { return s.invoice != nil && s.invoice.ImpIVA.Sign() == 0 }

func isAmount(s *said) bool { return s.invoice != nil && s.member() != "" }

// member names an amount as the service does in a text, empty if it is none of which that is known.
func (s *said) member() string {
	steps := strings.Split(s.Pointer, "/")
	last := steps[len(steps)-1]
	switch {
	case strings.HasPrefix(last, "Imp") && last != "Importe":
		return last
	case strings.Contains(s.Pointer, "/AlicIva/") && last == "Importe":
		return last + " de AlicIva"
	}
	return ""
}

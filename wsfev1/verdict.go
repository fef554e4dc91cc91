package wsfev1

// Verdict is what an answer decides about the exchange.
type Verdict struct {
	// Resultado is the verdict on the whole: A, R, P or no text.
	Resultado string
	// Invoices are the verdicts on each invoice, in the order of the answer.
	Invoices []InvoiceVerdict
	// Codes are the codes of Observaciones, then of Errors.
	Codes []int32
	// Failed: there are Errors.
	Failed bool
	// Observed: there are Observaciones.
	Observed bool
}

// InvoiceVerdict is what an answer decides about one invoice.
type InvoiceVerdict struct {
	InvoiceRange
	Resultado string
	// Code is the CAE or the CAEA, no text where there is none.
	Code string
	// Expires is the last day of a CAE, no text where there is none.
	Expires Date
	// Codes are the codes of its own Observaciones, in their order. Verdict.Codes has the
	// codes of the whole answer.
	Codes []int32
}

// VerdictOf reads the verdict of an answer, which is a pointer to an answer type.
func VerdictOf(answer any) Verdict {
	var v Verdict
	if isNil(answer) {
		return v
	}
	switch a := answer.(type) {
	case *FECAESolicitarAnswer:
		v.header(a.FeCabResp)
		if a.FeDetResp != nil {
			for i := range a.FeDetResp.FECAEDetResponse {
				d := &a.FeDetResp.FECAEDetResponse[i]
				v.detail(&d.DetResponse, d.CAE, d.CAEFchVto)
			}
		}
	case *FECAEARegInformativoAnswer:
		v.header(a.FeCabResp)
		if a.FeDetResp != nil {
			for i := range a.FeDetResp.FECAEADetResponse {
				d := &a.FeDetResp.FECAEADetResponse[i]
				v.detail(&d.DetResponse, d.CAEA, "")
			}
		}
	case *FECompConsultarAnswer:
		if r := a.ResultGet; r != nil {
			v.Resultado = r.Resultado
			v.invoice(InvoiceRange{r.CbteDesde, r.CbteHasta}, r.Resultado, r.CodAutorizacion, r.FchVto, r.Observaciones)
		}
	case *FECAEASolicitarAnswer:
		v.advance(a.ResultGet)
	case *FECAEAConsultarAnswer:
		v.advance(a.ResultGet)
	case *FECAEASinMovimientoInformarAnswer:
		v.Resultado = a.Resultado
	}
	if f, ok := answer.(interface{ Failures() []Err }); ok {
		for _, e := range f.Failures() {
			v.Failed = true
			v.Codes = append(v.Codes, e.Code)
		}
	}
	return v
}

func (v *Verdict) header(h *FeCabResp) {
	if h != nil {
		v.Resultado = h.Resultado
	}
}

func (v *Verdict) detail(d *DetResponse, code string, expires Date) {
	v.invoice(InvoiceRange{d.CbteDesde, d.CbteHasta}, d.Resultado, code, expires, d.Observaciones)
}

func (v *Verdict) advance(r *CAEAResult) {
	if r != nil && r.CAEA != "" {
		v.invoice(InvoiceRange{}, "", r.CAEA, "", r.Observaciones)
	}
}

func (v *Verdict) invoice(numbers InvoiceRange, resultado, code string, expires Date, o *Observaciones) {
	verdict := InvoiceVerdict{InvoiceRange: numbers, Resultado: resultado, Code: code, Expires: expires}
	if o != nil {
		for _, obs := range o.Obs {
			v.Observed = true
			// Two lists, not one shared: a caller that sorts or extends the codes of the answer
			// must not change an invoice's.
			v.Codes = append(v.Codes, obs.Code)
			verdict.Codes = append(verdict.Codes, obs.Code)
		}
	}
	v.Invoices = append(v.Invoices, verdict)
}

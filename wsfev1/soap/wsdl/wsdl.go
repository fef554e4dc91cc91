package wsdl

import (
	"strings"
	"sync"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// MediaType is the media type of the description.
const MediaType = "text/xml; charset=utf-8"

// order is the order of the operations in the description.
var order = strings.Fields(`FECAESolicitar FECompTotXRequest FEDummy FECompUltimoAutorizado FECompConsultar
	FECAEARegInformativo FECAEASolicitar FECAEASinMovimientoConsultar FECAEASinMovimientoInformar FECAEAConsultar
	FEParamGetCotizacion FEParamGetTiposTributos FEParamGetTiposMonedas FEParamGetTiposIva FEParamGetTiposOpcional
	FEParamGetTiposConcepto FEParamGetPtosVenta FEParamGetTiposCbte FEParamGetCondicionIvaReceptor
	FEParamGetTiposDoc FEParamGetTiposPaises FEParamGetActividades`)

// parts is the description without the addresses that stand between them.
var parts = sync.OnceValue(func() []string { return strings.Split(describe(), mark) })

// mark stands for an address.
const mark = "\x00"

// Describe returns the description of the service at an address, which is where clients go, and not
// where they found the description. It is the same for the same address.
func Describe(address string) []byte {
	address = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "", "\r", "", "\t", "").Replace(strings.ToValidUTF8(address, ""))
	return []byte(strings.Join(parts(), address))
}

// printer writes lines as the service does: two blanks for each level, CRLF.
type printer struct {
	text  []byte
	level int
}

func (p *printer) line(text string) {
	p.text = append(p.text, strings.Repeat("  ", p.level)+text+"\r\n"...)
}

// within writes an element with what content writes into it.
func (p *printer) within(tag string, content func()) {
	name, _, _ := strings.Cut(tag, " ")
	p.line("<" + tag + ">")
	p.level++
	content()
	p.level--
	p.line("</" + name + ">")
}

func describe() string {
	p := &printer{}
	p.line(`<?xml version="1.0" encoding="utf-8"?>`)
	p.within(`wsdl:definitions xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/"`+
		` xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:tns="`+soap.Namespace+`"`+
		` xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:tm="http://microsoft.com/wsdl/mime/textMatching/"`+
		` xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" targetNamespace="`+soap.Namespace+`" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"`, func() {
		p.within("wsdl:types", func() {
			p.within(`s:schema elementFormDefault="qualified" targetNamespace="`+soap.Namespace+`"`, func() {
				types := schema{printer: p, written: map[string]bool{}}
				for _, name := range order {
					types.operation(wsfev1.OperationByName(name))
				}
			})
		})
		p.messages()
		p.portType()
		p.binding("ServiceSoap", "soap")
		p.binding("ServiceSoap12", "soap12")
		p.service()
	})
	return strings.TrimSuffix(string(p.text), "\r\n")
}

func (p *printer) messages() {
	for _, name := range order {
		for _, way := range [][2]string{{"SoapIn", ""}, {"SoapOut", "Response"}} {
			p.within(`wsdl:message name="`+name+way[0]+`"`, func() {
				p.line(`<wsdl:part name="parameters" element="tns:` + name + way[1] + `" />`)
			})
		}
	}
}

func (p *printer) portType() {
	p.within(`wsdl:portType name="ServiceSoap"`, func() {
		for _, name := range order {
			p.within(`wsdl:operation name="`+name+`"`, func() {
				p.line(`<wsdl:input message="tns:` + name + `SoapIn" />`)
				p.line(`<wsdl:output message="tns:` + name + `SoapOut" />`)
			})
		}
	})
}

func (p *printer) binding(name, prefix string) {
	p.within(`wsdl:binding name="`+name+`" type="tns:ServiceSoap"`, func() {
		p.line(`<` + prefix + `:binding transport="http://schemas.xmlsoap.org/soap/http" />`)
		for _, operation := range order {
			p.within(`wsdl:operation name="`+operation+`"`, func() {
				p.line(`<` + prefix + `:operation soapAction="` + soap.ActionPrefix + operation + `" style="document" />`)
				for _, way := range []string{"wsdl:input", "wsdl:output"} {
					p.within(way, func() { p.line(`<` + prefix + `:body use="literal" />`) })
				}
			})
		}
	})
}

func (p *printer) service() {
	p.within(`wsdl:service name="Service"`, func() {
		for _, port := range [][2]string{{"ServiceSoap", "soap"}, {"ServiceSoap12", "soap12"}} {
			p.within(`wsdl:port name="`+port[0]+`" binding="tns:`+port[0]+`"`, func() {
				p.line(`<` + port[1] + `:address location="` + mark + `" />`)
			})
		}
	})
}

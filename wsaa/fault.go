package wsaa

import "errors"

// Fault is a refusal of the login service: a code and its text, in the words of the authority.
type Fault struct {
	Code, Text string
	// Reason is what exactly is wrong, for a log. The client does not get it.
	Reason error
}

// String returns the code, the text and the reason.
func (f *Fault) String() string {
	text := f.Code + ": " + f.Text
	if f.Reason != nil {
		text += ": " + f.Reason.Error()
	}
	return text
}

// The codes of the login service, in the order in which it checks.
const (
	BadBase64             = "cms.bad.base64"
	BadCMS                = "cms.bad"
	CertificateNotFound   = "cms.cert.notFound"
	SignatureInvalid      = "cms.sign.invalid"
	CertificateInvalid    = "cms.cert.invalid"
	CertificateExpired    = "cms.cert.expired"
	CertificateUntrusted  = "cms.cert.untrusted"
	BadXML                = "xml.bad"
	VersionNotSupported   = "xml.version.notSupported"
	SourceInvalid         = "xml.source.invalid"
	DestinationInvalid    = "xml.destination.invalid"
	GenerationTimeInvalid = "xml.generationTime.invalid"
	ExpirationTimeExpired = "xml.expirationTime.expired"
	ExpirationTimeInvalid = "xml.expirationTime.invalid"
	ServiceNotFound       = "wsn.notFound"
	NotAuthorized         = "coe.notAuthorized"
	AlreadyAuthenticated  = "coe.alreadyAuthenticated"
	ServiceUnavailable    = "wsn.unavailable"
	LoginUnavailable      = "wsaa.unavailable"
	LoginInternalError    = "wsaa.internalError"
)

// texts has the codes in their order, with the text that the service gives: where it was seen as it
// was seen, otherwise as the specification has it (docs/sources.md#login).
var texts = []struct{ code, text string }{
	{BadBase64, "No se puede decodificar el BASE64"},
	{BadCMS, "El CMS no es valido"},
	{CertificateNotFound, "No se ha encontrado certificado de firmador"},
	{SignatureInvalid, "Firma inválida o algoritmo no soportado"},
	{CertificateInvalid, "Certificado con fecha de generacion posterior a la actual"},
	{CertificateExpired, "Certificado expirado"},
	{CertificateUntrusted, "Certificado no emitido por AC de confianza"},
	{BadXML, "No se ha podido interpretar el XML contra el SCHEMA"},
	{VersionNotSupported, "La versión del documento no es soportada"},
	{SourceInvalid, "El atributo 'source' no se corresponde con el DN del Certificado"},
	{DestinationInvalid, "El atributo 'destination' no se corresponde con el DN del WSAA"},
	{GenerationTimeInvalid, "generationTime posee formato o dato inválido (ej: en el futuro o más de 24 horas de antigüedad)"},
	{ExpirationTimeExpired, "El tiempo de expiración es inferior a la hora actual"},
	{ExpirationTimeInvalid, "El tiempo de expiración del documento es superior a 24 horas"},
	{ServiceNotFound, "Servicio informado inexistente"},
	{NotAuthorized, "Computador no autorizado a acceder al servicio"},
	{AlreadyAuthenticated, "El CEE ya posee un TA valido para el acceso al WSN solicitado"},
	{ServiceUnavailable, "El servicio al que se desea acceder se encuentra momentáneamente fuera de servicio"},
	{LoginUnavailable, "El servicio de autenticación/autorización se encuentra momentáneamente fuera de servicio"},
	{LoginInternalError, "No se ha podido procesar el requerimiento"},
}

// FaultCodes returns the codes of the login service, in the order in which it checks.
func FaultCodes() (codes []string) {
	for _, t := range texts {
		codes = append(codes, t.code)
	}
	return codes
}

// NewFault returns the fault of a code, nil if the service has no such code. reason may be nil.
func NewFault(code string, reason error) *Fault {
	for _, t := range texts {
		if t.code == code {
			return &Fault{code, t.text, reason}
		}
	}
	return nil
}

// refuse returns the fault of a code, with a reason in words.
func refuse(code, reason string) *Fault { return NewFault(code, errors.New(reason)) }

package wsaa

import (
	"crypto/x509"
	"errors"
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// ErrNoCUIT: the name of a certificate has none.
var ErrNoCUIT = errors.New(`the name of the certificate has no serialNumber "CUIT" with eleven digits`)

// CertificateCUIT returns the CUIT to which a computer belongs: its name has a serialNumber such
// as "CUIT 20111111112".
func CertificateCUIT(certificate *x509.Certificate) (wsfev1.CUIT, error) {
	words := strings.Fields(certificate.Subject.SerialNumber)
	if len(words) != 2 || !strings.EqualFold(words[0], "CUIT") || len(words[1]) != 11 {
		return 0, ErrNoCUIT
	}
	number, err := strconv.ParseUint(words[1], 10, 63)
	if err != nil || number == 0 {
		return 0, ErrNoCUIT
	}
	return wsfev1.CUIT(number), nil
}

// ComputerName returns the name of a certificate as the login service writes it, such as
// "SERIALNUMBER=CUIT 20111111112, CN=prueba".
func ComputerName(certificate *x509.Certificate) (string, error) {
	return javaName(certificate.RawSubject)
}

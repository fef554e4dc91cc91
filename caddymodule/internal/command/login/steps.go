package login

import "strings"

// nextSteps is what to do with a request, on the authority's pages.
const nextSteps = `{key} is the private key: keep it secret, and keep a copy where nobody else reads it.
{csr} is the request for its certificate (CSR), of CUIT {cuit} under the alias {alias}.

What to do next, with clave fiscal at https://www.arca.gob.ar. If a page is not among your
services, add it in "Administrador de Relaciones de Clave Fiscal".

For testing (homologación):
  1. Open "WSASS - Autogestión Certificados Homologación". Make a new certificate with the
     alias {alias} and the text of {csr}, and save what it shows as {crt}.
  2. On the same page, authorize the alias {alias} for the service "wsfe" and the CUIT that
     invoices.
  3. fielato wsfev1 certificate check {crt} --key {key} --environment homo
     fielato wsfev1 login homo --certificate {crt} --key {key}

For production:
  1. Open "Administración de Certificados Digitales". Add the alias {alias} with the file
     {csr}, and save the certificate as {crt}.
  2. Open "Administrador de Relaciones de Clave Fiscal". Add a relation of the CUIT that
     invoices to the web service "Facturación Electrónica" (wsfe), with the alias {alias}
     (computador fiscal) as its representative.
  3. fielato wsfev1 certificate check {crt} --key {key} --environment prod
     fielato wsfev1 login prod --certificate {crt} --key {key}

A certificate for testing does not work in production, nor the other way round: make a key and
a request for each.
`

// steps returns what to do with the request that was made.
func steps(f *requestFlags) string {
	return strings.NewReplacer(
		"{key}", f.key, "{csr}", f.out, "{crt}", strings.TrimSuffix(f.out, ".csr")+".crt", "{cuit}", f.cuit.String(), "{alias}", f.alias,
	).Replace(nextSteps)
}

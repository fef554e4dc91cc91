// Package qrcode reads the QR codes of invoices (RG 4892/2020) off the records of an exchange, and draws them.
package qrcode

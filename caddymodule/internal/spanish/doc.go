// Package spanish writes times, amounts, documents and vouchers as people in Argentina read them.
package spanish

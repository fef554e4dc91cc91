// Package mask hides the documents of receivers in what a page shows of an exchange: the values of the
// members DocNro, wherever they stand, and whatever repeats one of them in a text, with or without the
// dashes and points that people write.
//
//	m := mask.New(record.Cuit)
//	m.Collect(request)
//	m.CollectXML(clientRequest, charset)
//	shown, ok := m.JSON(request)
//	text := m.Text(finding.Got)
//
// It has the documents that are looked for, and the texts that stand in their place. The walks over bodies and messages are
// in internal/mask/walk.
//
// All that the exchange holds is collected first, because an answer may repeat what stood in the request.
// The issuer is no receiver: its CUIT stays in texts. A nil Mask hides nothing.
package mask

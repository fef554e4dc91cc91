package mask_test

import (
	"maps"
	"slices"

	"github.com/fielato/fielato/internal/mask/masktest"
)

// words are the words of documents that may hold a credential.
var words = masktest.Words{
	Names: slices.Concat(masktest.Names, []string{ticketSign[:8], ticketSign[8:16], ticketSign, ticketToken}),
	Texts: slices.Concat(masktest.Texts, []string{
		ticketToken, ticketSign, ticketSign[:8], ticketSign[8:16], ticketSign[16:24], ticketSign[4:20], ticketToken[:12], ticketToken[len(ticketToken)-30:],
	}),
	Attribute: ticketSign[:8], Comment: ticketSign[:20],
	Forms: formsInOrder(),
	List: func(c *masktest.Choices) string { // a credential as numbers
		from := c.N(100)
		return listed(codes(ticketSign[from:from+c.N(30)+1]), "$")
	},
}

func formsInOrder() (all []func(string) string) {
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		all = append(all, forms[name])
	}
	return all
}

// someCredentials returns the credentials of a request.
func someCredentials(c *masktest.Choices) []string {
	return [][]string{{ticketToken, ticketSign}, {ticketToken, ticketSign}, {ticketSign}, nil, {"t", "s"}, {ticketToken, "12345678"}, {"example-token", ticketSign}, {"A" + ticketSign + "\x00" + ticketToken}}[c.N(8)]
}

var someFields = [][]string{
	nil, nil, nil, {"/DocNro"}, {"/FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro", "/Msg/Desc"}, {"/Compradores", "/ImpTotal"}, {"/Msg"}, {"/Auth"}, {"/CbteFch", "/x"}, {"/Msg/*/DocNro", "/x/b", "/Desc"},
}

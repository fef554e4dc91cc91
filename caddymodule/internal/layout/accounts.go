package layout

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

const authentication = "authentication"

// Account is an account of basic_auth.
type Account struct{ Username, Password string }

// Accounts returns the accounts of a handler of authentication. It reports all if the handler knows
// nobody else.
func (h *Handler) Accounts() (accounts []Account, all bool) {
	var read struct {
		Providers struct {
			Basic *struct {
				Accounts []Account `json:"accounts"`
			} `json:"http_basic"`
			Others map[string]jsontext.Value `json:",inline"`
		} `json:"providers"`
	}
	if h.Name != authentication || json.Unmarshal(h.Raw, &read, json.MatchCaseInsensitiveNames(true)) != nil || read.Providers.Basic == nil {
		return nil, false
	}
	return read.Providers.Basic.Accounts, len(read.Providers.Others) == 0
}

// hashes begin what basic_auth takes for a password.
var hashes = []string{"$2", "$argon2"}

// reviewAccounts refuses passwords that are no hashes: nobody could use them, and they would lie open. It refuses
// placeholders that stand for nothing, too: Caddy does not say which.
func reviewAccounts(list []Route) (all []Finding) {
	for _, r := range list {
		for _, h := range r.Handlers {
			all = append(all, reviewAccounts(h.Routes)...)
			accounts, _ := h.Accounts()
			for _, account := range accounts {
				password, err := directive.Resolve(account.Password)
				switch {
				case err != nil:
					all = append(all, Finding{Refused: true, Found: "the password of " + account.Username + " in basic_auth", Cure: err.Error()})
				case !isHash(password):
					all = append(all, Finding{
						Refused: true, Found: "the password of " + account.Username + " in basic_auth is no hash",
						Cure: "write what `fielato hash-password` prints for it (`caddy hash-password`)",
					})
				}
			}
		}
	}
	return all
}

// isHash reports whether a password of basic_auth may be a hash, as it is or in base64.
func isHash(password string) bool {
	texts := []string{password}
	if decoded, err := base64.StdEncoding.DecodeString(password); err == nil {
		texts = append(texts, string(decoded))
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(hashes, func(begin string) bool { return strings.HasPrefix(text, begin) })
	})
}

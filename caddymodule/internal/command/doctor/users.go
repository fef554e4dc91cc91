package doctor

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/layout"
	"github.com/fielato/fielato/internal/clients"
)

// users are those who can say who they are to what stands in front.
type users struct {
	// some: something may say which user sends a request.
	some bool
	// accounts are the names in basic_auth. others: there may be more, which the configuration does not name.
	accounts []string
	others   bool
}

// and returns the users if both stand in front.
func (u users) and(v users) users {
	return users{u.some || v.some, slices.Concat(u.accounts, v.accounts), u.others || v.others}
}

// usersOf returns the users of a handler of authentication.
func usersOf(h *layout.Handler) users {
	accounts, all := h.Accounts()
	u := users{some: true, others: !all}
	for _, account := range accounts {
		u.accounts = append(u.accounts, account.Username)
		u.others = u.others || strings.Contains(account.Username, "{")
	}
	return u
}

// misspelt names the clients whose users basic_auth in front of the gateway does not have.
func (a *admission) misspelt(check string, known []*clients.Client) []result {
	if !a.front.users.some || a.front.users.others {
		return nil
	}
	var missing []string
	for _, row := range rowsOf(known) {
		for _, user := range row.User {
			if !slices.Contains(a.front.users.accounts, user) {
				missing = append(missing, row.Name+" (user "+user+")")
			}
		}
	}
	if missing == nil {
		return nil
	}
	return []result{warn(check, "correct the user, or write it into basic_auth with a password",
		"%s basic_auth in front does not have the users of clients, so that they get 403: %s", a.name(), few(missing))}
}

package caddytest

import "strings"

// HashOfPassword is the bcrypt hash of "password", of a low cost.
const HashOfPassword = "$2a$04$s9HxsRXyzDTt7BSPeRUu5uRFRGV6oSPuT1DIrrEFZd6TOjl8gf2E2"

// Accounts are users with the password "password", in front of next.
func Accounts(next string, users ...string) string {
	var text strings.Builder
	for _, user := range users {
		text.WriteString(user + " " + HashOfPassword + "\n")
	}
	return "basic_auth {\n" + text.String() + "}\n" + next
}

// PostAs sends a request as one of the users of Accounts.
func (s *Site) PostAs(user, operation, body string) Response {
	s.T.Helper()
	r := s.Request(s.T.Context(), operation, body)
	r.SetBasicAuth(user, "password")
	return s.Do(r)
}

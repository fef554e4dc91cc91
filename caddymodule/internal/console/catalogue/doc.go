// Package catalogue has the pages about the rules: all of them, with a search, and each by itself. They show the
// level that is in force and what has set it, what was found since the process began, and how often the service
// agreed.
package catalogue

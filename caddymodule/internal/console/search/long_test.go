package search

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestALongTextIsNotRead, by whichever page: the time that it takes grows with the square of its words.
func TestALongTextIsNotRead(t *testing.T) {
	m, over := newWorld(newStore(t)), make(chan struct{})
	close(over)
	m.Ending = over // the live view has only its beginning
	for _, page := range []string{"/search", "/search.csv", "/search/live"} {
		for text, want := range map[string]int{
			strings.Repeat("n ", maxGiven/2-3) + "10048":      http.StatusOK,
			"20111111112 " + strings.Repeat("n ", maxGiven/2): http.StatusRequestEntityTooLarge,
		} {
			if got := m.get(page + "?" + url.Values{"q": {text}}.Encode()); got.Code != want {
				t.Errorf("%s with %d bytes: %d, want %d", page, len(text), got.Code, want)
			}
		}
	}
}

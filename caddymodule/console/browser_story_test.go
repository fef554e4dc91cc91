package console_test

import (
	"os"
	"testing"
)

// TestInABrowser: the console in a real browser, in front of a gateway with all kinds of traffic. One
// browser and one gateway serve all tests.
func TestInABrowser(t *testing.T) {
	b, p := startBrowser(t), newPlace(t)
	t.Run("together", func(t *testing.T) {
		tests := map[string]func(*testing.T, *browser, *place){
			"pages":         testPages,
			"languages":     testLanguages,
			"keyboard":      testKeyboard,
			"keys":          testKeys,
			"hostile texts": testHostileTexts,
		}
		if os.Getenv("FIELATO_SCREENSHOTS") != "" {
			tests["pictures"] = testPictures
		}
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, b, p)
			})
		}
	})
}

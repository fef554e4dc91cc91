package cosignature_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/cosignature"
)

// The known answer, over the checkpoint of docs/format.md. The page of a proof is held to the same file.
var (
	known     = readKnown()
	knownText = known.Text
	knownVkey = known.Witness
	knownTime = known.Time
	knownLine = known.Line
)

type knownAnswer struct {
	Seed    string `json:"seed"` // in hexadecimal
	Witness string `json:"witness"`
	Time    int64  `json:"time"`
	Text    string `json:"text"`
	Line    string `json:"line"`
	Message string `json:"message_sha256"`
}

func readKnown() (k knownAnswer) {
	text, err := os.ReadFile("testdata/known.json")
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		panic(err)
	}
	return k
}

func newKey(t *testing.T, seed byte, name string) *cosignature.Key {
	t.Helper()
	key, err := cosignature.NewKey(bytes.NewReader(bytes.Repeat([]byte{seed}, 32)), name)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestKnownAnswer(t *testing.T) {
	seed, err := hex.DecodeString(known.Seed)
	if err != nil {
		t.Fatal(err)
	}
	key, err := cosignature.NewKey(bytes.NewReader(seed), "testigo.example/w1")
	if err != nil {
		t.Fatal(err)
	}
	if got := key.Verifier().String(); got != knownVkey {
		t.Errorf("the public key is %s", got)
	}
	signed, err := note.Sign(&note.Note{Text: knownText}, key.At(time.Unix(knownTime, 999)))
	if err != nil || string(signed) != knownText+"\n"+knownLine {
		t.Errorf("%v\n%s", err, signed)
	}
	witness, err := cosignature.ParseVerifier(knownVkey)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := note.Open([]byte(knownText+"\n"+knownLine), note.VerifierList(witness))
	if err != nil {
		t.Fatal(err)
	}
	if when, err := cosignature.Time(opened.Sigs[0]); err != nil || when.Unix() != knownTime {
		t.Errorf("%v, %v", when, err)
	}
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", knownTime, knownText)
	if digest := sha256.Sum256([]byte(message)); hex.EncodeToString(digest[:]) != known.Message {
		t.Errorf("the message is not the one that the known answer is over")
	}
}

// TestACosignatureCountsForNothingElse: any change to the text, the time, the key or the name is noticed.
func TestACosignatureCountsForNothingElse(t *testing.T) {
	witness, err := cosignature.ParseVerifier(knownVkey)
	if err != nil {
		t.Fatal(err)
	}
	_, encoded, _ := strings.Cut(strings.TrimSuffix(knownLine, "\n"), "w1 ")
	blob, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	signature := blob[4:]
	if !witness.Verify([]byte(knownText), signature) {
		t.Fatal("the known answer is refused")
	}
	for i := range signature {
		changed := bytes.Clone(signature)
		changed[i] ^= 1
		if witness.Verify([]byte(knownText), changed) {
			t.Errorf("byte %d of the signature does not count", i)
		}
	}
	for i := range knownText {
		changed := []byte(knownText)
		changed[i] ^= 1
		if witness.Verify(changed, signature) {
			t.Errorf("byte %d of the text does not count", i)
		}
	}
	for _, cut := range [][]byte{nil, signature[:71], append(bytes.Clone(signature), 0), signature[8:]} {
		if witness.Verify([]byte(knownText), cut) {
			t.Errorf("%d bytes are taken", len(cut))
		}
	}
	for _, other := range []*cosignature.Key{newKey(t, 8, "testigo.example/w1"), newKey(t, 7, "testigo.example/w2")} {
		_, err := note.Open([]byte(knownText+"\n"+knownLine), note.VerifierList(other.Verifier()))
		if unverified := new(note.UnverifiedNoteError); !errors.As(err, &unverified) {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// TestTimeZeroIsNoTime: neither a witness with such a clock signs, nor does a signature count.
func TestTimeZeroIsNoTime(t *testing.T) {
	key := newKey(t, 7, "testigo.example/w1")
	for _, moment := range []time.Time{time.Unix(0, 5), time.Unix(-1, 0), {}} {
		if _, err := note.Sign(&note.Note{Text: knownText}, key.At(moment)); err == nil {
			t.Errorf("signed at %v", moment)
		}
	}
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))
	for _, seconds := range []string{"0", "18446744073709551615"} {
		var at [8]byte
		if seconds != "0" {
			at = [8]byte(bytes.Repeat([]byte{255}, 8))
		}
		signature := append(at[:], ed25519.Sign(private, []byte("cosignature/v1\ntime "+seconds+"\n"+knownText))...)
		if key.Verifier().Verify([]byte(knownText), signature) {
			t.Errorf("time %s counts", seconds)
		}
		line := base64.StdEncoding.EncodeToString(append([]byte{0, 0, 0, 0}, signature...))
		if when, err := cosignature.Time(note.Signature{Name: "w", Base64: line}); err == nil {
			t.Errorf("time %s is %v", seconds, when)
		}
	}
}

func TestOnlyCheckpointsAreSigned(t *testing.T) {
	key := newKey(t, 7, "testigo.example/w1")
	if _, err := note.Sign(&note.Note{Text: "fielato/gw-1\n2\n"}, key.At(time.Unix(knownTime, 0))); err == nil {
		t.Error("signed two lines")
	}
}

// TestKeysAreReadAsTheyAreWritten, and nothing else is a key. Errors do not quote what may be one.
func TestKeysAreReadAsTheyAreWritten(t *testing.T) {
	key := newKey(t, 7, "ejemplo.com.ar/testigo-ñ")
	again, err := cosignature.ParseKey("\n" + key.Private() + "\n")
	if err != nil || again.Private() != key.Private() || again.String() != key.String() {
		t.Errorf("%v, %v", again, err)
	}
	if shown := fmt.Sprintf("%v %#v %s", key, key, key); strings.Contains(shown, "PRIVATE") {
		t.Errorf("a key prints as %s", shown)
	}
	ofALog, err := audit.NewKey(bytes.NewReader(bytes.Repeat([]byte{9}, 32)), "gw-1")
	if err != nil {
		t.Fatal(err)
	}
	vkey, skey := key.String(), key.Private()
	for _, wrong := range []string{
		"", "+", "++", vkey, ofALog.Private(), strings.Replace(skey, "testigo", "testiga", 1), skey[:len(skey)-4], skey + "A",
		strings.Replace(skey, "PRIVATE", "private", 1), skey[:len(skey)-2] + "B=",
	} {
		if got, err := cosignature.ParseKey(wrong); err == nil {
			t.Errorf("%q is the private key %v", wrong, got)
		} else if len(wrong) > 40 && strings.Contains(err.Error(), wrong[len(wrong)-20:]) {
			t.Errorf("the error quotes the key: %v", err)
		}
	}
	upper := strings.Replace(knownVkey, "b99f49ea", "B99F49EA", 1)
	for _, wrong := range []string{
		"", "++", skey, ofALog.Verifier(), " " + vkey, vkey + "\n", upper, strings.Replace(vkey, "testigo", "testiga", 1),
		strings.Replace(vkey, "ejemplo", "ejemplo ", 1), vkey[:len(vkey)-4], vkey[:20] + "\n" + vkey[20:],
	} {
		if got, err := cosignature.ParseVerifier(wrong); err == nil {
			t.Errorf("%q is the public key %v", wrong, got)
		} else if len(wrong) > 40 && strings.Contains(err.Error(), wrong[len(wrong)-20:]) {
			t.Errorf("the error quotes the key: %v", err)
		}
	}
}

func TestNamesThatANoteCannotCarry(t *testing.T) {
	for _, name := range []string{"", "a b", "a+b", "a\nb", "a\u2003b", "a\x00b", "a\xffb"} {
		if key, err := cosignature.NewKey(bytes.NewReader(make([]byte, 32)), name); err == nil {
			t.Errorf("%q is the name of %v", name, key)
		}
	}
	if _, err := cosignature.NewKey(bytes.NewReader(make([]byte, 31)), "w"); err == nil {
		t.Error("31 bytes of random are enough")
	}
}

func FuzzParseVerifier(f *testing.F) {
	f.Add(knownVkey)
	f.Add("w+00000000+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs")
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := cosignature.ParseVerifier(text); err == nil && v.String() != text {
			t.Errorf("%q is read as %q", text, v)
		}
	})
}

package cosignature_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/internal/cosignature"
)

// keysOf returns the public keys of witnesses with these names.
func keysOf(t *testing.T, names ...string) (keys []*cosignature.Key) {
	t.Helper()
	for i, name := range names {
		keys = append(keys, newKey(t, byte(i+1), name))
	}
	return keys
}

// logKey makes the key of a log.
func logKey(t *testing.T, name string) (signer note.Signer, public string) {
	t.Helper()
	secret, public, err := note.GenerateKey(strings.NewReader(strings.Repeat(name, 32)), name)
	if err != nil {
		t.Fatal(err)
	}
	if signer, err = note.NewSigner(secret); err != nil {
		t.Fatal(err)
	}
	return signer, public
}

func signedBy(t *testing.T, text string, signers ...note.Signer) []byte {
	t.Helper()
	signed, err := note.Sign(&note.Note{Text: text}, signers...)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// TestMistakesInAPolicyAreNamed with their line.
func TestMistakesInAPolicyAreNamed(t *testing.T) {
	keys := keysOf(t, "a.example", "b.example")
	_, log := logKey(t, "fielato/gw-1")
	a, b := "witness a "+keys[0].String()+"\n", "witness b "+keys[1].String()+" https://b.example/w\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty":                 {"", "no line quorum"},
		"no quorum":             {a + b, "no line quorum"},
		"two quorums":           {a + "quorum a\nquorum a\n", "line 3 of the policy: there is a line quorum already"},
		"another word":          {"witnes a b\n", "line 1 of the policy: write log <vkey>"},
		"a word too much":       {a + "quorum a b\n", "line 2"},
		"unknown quorum":        {a + "quorum b\n", `no line before it has the witness or group "b"`},
		"a later member":        {a + "group g any a b\n" + b + "quorum g\n", `line 2 of the policy: no line before it has the witness or group "b"`},
		"a name twice":          {a + strings.Replace(b, " b ", " a ", 1) + "quorum a\n", `the name "a" is taken`},
		"a key twice":           {a + strings.Replace(a, " a ", " c ", 1) + "quorum a\n", "the key of a.example is there twice"},
		"the name none":         {strings.Replace(a, " a ", " none ", 1) + "quorum none\n", `the name "none" is taken`},
		"none as a member":      {a + "group g any none\nquorum g\n", `"none"`},
		"threshold 0":           {a + "group g 0 a\nquorum g\n", `"0" of 1 members: write any, all or a number from 1 to 1`},
		"threshold 3 of 2":      {a + b + "group g 3 a b\nquorum g\n", "from 1 to 2"},
		"threshold 01":          {a + "group g 01 a\nquorum g\n", `"01"`},
		"a member of two":       {a + b + "group g any a b\ngroup h any a\nquorum h\n", `"a" is the member of a group already`},
		"a member twice":        {a + "group g any a " + "a\nquorum g\n", `"a" is the member of a group already`},
		"a witness as log":      {"log " + keys[0].String() + "\n" + a + "quorum a\n", "not the public key of a log"},
		"a log as witness":      {"witness a " + log + "\nquorum a\n", "not the public key of a witness"},
		"a log twice":           {"log " + log + "\nlog " + log + " https://x.example\nquorum none\n", "there twice"},
		"carriage returns":      {a + "quorum a\r\n", "control character"},
		"a byte of zero":        {a + "quorum a\x00\n", "control character"},
		"an empty group":        {a + "group g any\nquorum g\n", "line 2"},
		"too long":              {strings.Repeat("#", 1<<20) + "\n" + a + "quorum a\n", "more than 1048576 bytes"},
		"a comment behind text": {a + "quorum a # both\n", "line 2"},
	} {
		if _, err := cosignature.ParsePolicy([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// TestAPolicyIsJudgedByWhoHasSigned.
func TestAPolicyIsJudgedByWhoHasSigned(t *testing.T) {
	keys := keysOf(t, "a.example", "b.example", "c.example", "stranger.example")
	signer, log := logKey(t, "fielato/gw-1")
	_, other := logKey(t, "fielato/gw-2")
	var witnesses []cosignature.Witness
	text := "# Two of three.\n\n \tlog " + log + "\n"
	for i, name := range []string{"a", "b", "c"} {
		witnesses = append(witnesses, cosignature.Witness{Key: keys[i].Verifier()})
		text += "witness " + name + "\t" + keys[i].String() + " https://" + name + ".example/\n"
	}
	text += "group g 2 a b c\nquorum g"
	parsed, err := cosignature.ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if all := parsed.Witnesses(); len(all) != 3 || all[1].URL != "https://b.example/" {
		t.Errorf("%v", all)
	}
	counted, err := cosignature.NewPolicy(witnesses, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(knownTime, 0)
	for _, policy := range []*cosignature.Policy{parsed, counted} {
		v, err := policy.Judge(signedBy(t, knownText, signer, keys[2].At(at), keys[0].At(at), keys[3].At(at)), log)
		if err != nil || !v.Satisfied || len(v.Signatures) != 2 || v.Signatures[0].Witness != "a.example" || !v.Signatures[1].At.Equal(at) ||
			strings.Join(v.Missing, " ") != "b.example" || strings.Join(v.Unknown, " ") != "stranger.example" {
			t.Errorf("two of three: %v, %+v", err, v)
		}
		if v, err = policy.Judge(signedBy(t, knownText, signer, keys[1].At(at), keys[3].At(at)), log); err != nil || v.Satisfied {
			t.Errorf("one of three, and a stranger: %v, %+v", err, v)
		}
		forged := newKey(t, 9, "b.example")
		if v, err = policy.Judge(signedBy(t, knownText, signer, keys[0].At(at), forged.At(at)), log); err != nil || v.Satisfied || strings.Join(v.Unknown, " ") != "b.example" {
			t.Errorf("another key of the same name: %v, %+v", err, v)
		}
		changed := strings.Replace(string(signedBy(t, knownText, signer, keys[0].At(at), keys[1].At(at))), "\n2\n", "\n3\n", 1)
		if _, err := policy.Judge([]byte(changed), log); err == nil {
			t.Error("signatures over another text count")
		}
	}
	if _, err := parsed.Judge(signedBy(t, knownText, signer), other); !errors.Is(err, cosignature.ErrOtherLog) {
		t.Errorf("a log that the policy does not name: %v", err)
	}
	var nobody *cosignature.Policy
	if v, err := nobody.Judge(signedBy(t, knownText, signer, keys[0].At(at)), log); err != nil || !v.Satisfied || strings.Join(v.Unknown, " ") != "a.example" {
		t.Errorf("no policy: %v, %+v", err, v)
	}
}

// TestAQuorumThatCannotBeReachedIsRefused, and so are witnesses that would count twice.
func TestAQuorumThatCannotBeReachedIsRefused(t *testing.T) {
	keys := keysOf(t, "a.example", "b.example")
	a, b := cosignature.Witness{Key: keys[0].Verifier()}, cosignature.Witness{Key: keys[1].Verifier()}
	sameKey := cosignature.Witness{Key: newKey(t, 1, "c.example").Verifier()}
	for name, test := range map[string]struct {
		all    []cosignature.Witness
		quorum int
		want   string
	}{
		"three of two": {[]cosignature.Witness{a, b}, 3, "3 of 2 witnesses"}, "less than none": {[]cosignature.Witness{a}, -1, "quorum"},
		"a key twice": {[]cosignature.Witness{a, sameKey}, 1, "twice"},
	} {
		if _, err := cosignature.NewPolicy(test.all, test.quorum); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add("witness a " + knownVkey + "\ngroup g 1 a\nquorum g\n")
	f.Add("quorum none")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := cosignature.ParsePolicy([]byte(text))
		if err != nil {
			return
		}
		if !p.Satisfied(func(*cosignature.Verifier) bool { return true }) {
			t.Error("nobody can satisfy it")
		}
		if v, err := p.Judge([]byte(knownText+"\n"+knownLine), knownVkey); err == nil {
			t.Errorf("the key of a witness is the log's: %+v", v)
		}
	})
}

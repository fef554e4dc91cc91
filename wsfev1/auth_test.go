package wsfev1_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/wsfev1"
)

const credential = "hunter2-credential"

// carriers are the values in which a credential travels, by a name.
func carriers() map[string]any {
	secret := wsfev1.Secret(credential)
	auth := wsfev1.Auth{Token: secret, Sign: secret, Cuit: 20111111112}
	all := map[string]any{
		"Secret": secret, "*Secret": &secret, "Auth": auth, "*Auth": &auth,
		"[]Secret": []wsfev1.Secret{secret}, "[]Auth": []wsfev1.Auth{auth},
		"map of Secret": map[string]wsfev1.Secret{"k": secret},
		"any in struct": struct{ V any }{auth},
	}
	for _, op := range wsfev1.Operations {
		request := op.NewRequest()
		if f := reflect.ValueOf(request).Elem().FieldByName("Auth"); f.IsValid() {
			f.Set(reflect.ValueOf(auth))
			all[op.Name] = request
		}
	}
	return all
}

// shows reports whether the text holds the credential, in any of the forms that
// fmt gives a string.
func shows(text string) bool {
	for _, form := range []string{credential, fmt.Sprintf("%x", credential), fmt.Sprintf("%X", credential), fmt.Sprintf("% x", credential)} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

// The verbs p and w are left out: on a value that is no pointer and no error, fmt
// prints "%!p(...)" and asks none of the value's methods, so that nothing which
// Secret could implement would help. A call with them is a mistake that go vet,
// and so go test, refuses for w.
func TestNoVerbOfFmtShowsACredential(t *testing.T) {
	for name, value := range carriers() {
		for verb := '!'; verb <= '~'; verb++ {
			if verb == 'p' || verb == 'w' {
				continue
			}
			for _, flags := range []string{"", "+", "#", "+#", " ", "-", "0", "40", ".3", "-40.3"} {
				format := "%" + flags + string(verb)
				if text := fmt.Sprintf(format, value); shows(text) {
					t.Errorf("%s shows %s: %s", format, name, text)
				}
			}
		}
		if text := fmt.Sprint(value) + fmt.Sprintln(value); shows(text) {
			t.Errorf("Sprint shows %s: %s", name, text)
		}
		if text := fmt.Errorf("bad request: %v", value).Error(); shows(text) {
			t.Errorf("an error shows %s: %s", name, text)
		}
	}
}

func TestNoFieldOfZapShowsACredential(t *testing.T) {
	encoders := map[string]zapcore.Encoder{
		"json":    zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()),
		"console": zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig()),
	}
	secret := wsfev1.Secret(credential)
	for name, value := range carriers() {
		fields := []zap.Field{
			zap.Any("f", value), zap.Reflect("f", value), zap.Any("f", []any{value}), zap.Reflect("f", map[string]any{"k": value}),
			zap.Stringer("f", secret), zap.Stringers("f", []wsfev1.Secret{secret}), zap.Error(fmt.Errorf("%v", value)),
			zap.String("f", fmt.Sprint(value)), zap.Any("f", &value), zap.Dict("f", zap.Any("k", value)),
		}
		for kind, encoder := range encoders {
			for i, field := range fields {
				line, err := encoder.Clone().EncodeEntry(zapcore.Entry{Message: "m"}, []zap.Field{field})
				if err != nil {
					t.Fatal(err)
				}
				if shows(line.String()) {
					t.Errorf("field %d of the %s log shows %s: %s", i, kind, name, line)
				}
			}
		}
	}
}

func TestSlogShowsNoCredential(t *testing.T) {
	for name, value := range carriers() {
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("m", "f", value)
		slog.New(slog.NewJSONHandler(&b, nil)).Info("m", "f", value)
		if shows(b.String()) {
			t.Errorf("slog shows %s: %s", name, &b)
		}
	}
}

func TestTheStandardEncoderShowsNoCredential(t *testing.T) {
	for name, value := range carriers() {
		text, err := stdjson.Marshal(value)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if shows(string(text)) {
			t.Errorf("encoding/json shows %s: %s", name, text)
		}
	}
}

func TestOnlyTheEncoderOfTheWireWritesACredential(t *testing.T) {
	auth := wsfev1.Auth{Token: credential, Sign: "s\"\n", Cuit: 20111111112}
	got, err := json.Marshal(auth)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"Token":"` + credential + `","Sign":"s\"\n","Cuit":20111111112}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var back wsfev1.Auth
	if err := json.Unmarshal(got, &back); err != nil || back != auth {
		t.Errorf("comes back changed, error %v", err)
	}
	if auth.Token.Reveal() != credential {
		t.Error("Reveal does not give the credential")
	}
}

// Package strictjson reads JSON of which there is one spelling: what a program has written, and others verify.
//
// It is a package of its own because audit/export and the console's evidence both read manifests with it, and
// neither may import the other.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unmarshal reads a JSON value into a pointer to a struct. It returns an error for an unknown member, a null, a
// minus zero, and a member that is missing, unless its tag says that it is omitted.
func Unmarshal(text []byte, into any) error {
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return err
	}
	if err := refuse(text); err != nil {
		return err
	}
	return complete(text, reflect.TypeOf(into).Elem(), "")
}

// refuse returns an error for a null, which would count as an empty value, and for a minus zero, which would count
// as zero.
func refuse(text []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case token.Kind() == 'n', token.Kind() == '0' && token.String() == "-0":
			return fmt.Errorf("%s is %s", decoder.StackPointer(), token)
		}
	}
}

// complete returns an error if a member is missing from a value of this type. Such a value can be read.
func complete(text jsontext.Value, of reflect.Type, at string) error {
	switch {
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		var items []jsontext.Value
		if err := json.Unmarshal(text, &items); err != nil {
			return err
		}
		for i, item := range items {
			if err := complete(item, of.Elem(), fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
		}
	case of.Kind() == reflect.Struct && text.Kind() == '{':
		var members map[string]jsontext.Value
		if err := json.Unmarshal(text, &members); err != nil {
			return err
		}
		for field := range of.Fields() {
			if !field.IsExported() {
				continue // it is no member
			}
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			member, there := members[name]
			if !there && !strings.Contains(options, "omit") {
				return fmt.Errorf("%s/%s is missing", at, name)
			}
			if there {
				if err := complete(member, field.Type, at+"/"+name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

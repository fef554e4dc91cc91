package jsonline

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// member is a member of the JSON object that a T is written as. An object has one form: its
// members in the order of their table, without the empty ones.
type member[T any] struct {
	// key is the quoted name and a colon.
	key string
	// append appends the value, or nothing where the member is to be left out.
	append func(dst []byte, v *T) []byte
	read   func(d *jsontext.Decoder, v *T) error
}

func named[T any](name string, add func([]byte, *T) []byte, read func(*jsontext.Decoder, *T) error) member[T] {
	return member[T]{key: `"` + name + `":`, append: add, read: read}
}

func appendObject[T any](dst []byte, members []member[T], v *T) []byte {
	dst = append(dst, '{')
	for i := range members {
		m := &members[i]
		start := len(dst)
		if dst[start-1] != '{' { // no value ends in one
			dst = append(dst, ',')
		}
		dst = append(dst, m.key...)
		value := len(dst)
		if dst = m.append(dst, v); len(dst) == value {
			dst = dst[:start]
		}
	}
	return append(dst, '}')
}

// readObject reads what appendObject wrote. It refuses a name that is not in the table,
// and one that comes twice or out of turn.
func readObject[T any](d *jsontext.Decoder, members []member[T], v *T) error {
	if err := delimiter(d, '{'); err != nil {
		return err
	}
	next := 0
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		for next < len(members) && members[next].key[:len(members[next].key)-1] != string(name) {
			next++
		}
		if next == len(members) {
			return fmt.Errorf("the member %s is unknown, given twice or out of its order", name)
		}
		if err := members[next].read(d, v); err != nil {
			return fmt.Errorf("%s %w", members[next].key, err)
		}
		next++
	}
	return delimiter(d, '}')
}

func delimiter(d *jsontext.Decoder, want jsontext.Kind) error {
	token, err := d.ReadToken()
	if errors.Is(err, io.EOF) {
		return errors.New("the line ends too early")
	}
	if err != nil {
		return err
	}
	if token.Kind() != want {
		return fmt.Errorf("%s where %s belongs", token.Kind(), want)
	}
	return nil
}

// object is an object that is left out where there is none.
func object[T, Inner any](name string, members []member[Inner], inner func(*T) **Inner) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		if *inner(v) == nil {
			return dst
		}
		return appendObject(dst, members, *inner(v))
	}, func(d *jsontext.Decoder, v *T) error {
		*inner(v) = new(Inner)
		return readObject(d, members, *inner(v))
	})
}

// list is an array of objects.
func list[T, Item any](name string, members []member[Item], items func(*T) *[]Item) member[T] {
	return named(name, func(dst []byte, v *T) []byte {
		if len(*items(v)) == 0 {
			return dst
		}
		open := byte('[')
		for i := range *items(v) {
			dst = appendObject(append(dst, open), members, &(*items(v))[i])
			open = ','
		}
		return append(dst, ']')
	}, func(d *jsontext.Decoder, v *T) error {
		if err := delimiter(d, '['); err != nil {
			return err
		}
		for d.PeekKind() == '{' {
			var item Item
			if err := readObject(d, members, &item); err != nil {
				return err
			}
			*items(v) = append(*items(v), item)
		}
		return delimiter(d, ']')
	})
}

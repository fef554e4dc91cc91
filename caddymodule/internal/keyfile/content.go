package keyfile

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/directive"
)

// errKeyInConfig refuses a key in the configuration: Caddy's admin API would show it, and its
// autosave keep it.
var errKeyInConfig = errors.New("encryption_key: the key must not be in the configuration: give its file, {env.NAME} or {file.PATH}")

// Content reads the option encryption_key, nil for none. Errors do not repeat the value of
// a placeholder.
func Content(option string) (*audit.ContentKey, error) {
	if option == "" {
		return nil, nil
	}
	if MayBeContent(option) {
		return nil, errKeyInConfig
	}
	value, err := directive.Resolve(option)
	if err != nil {
		return nil, fmt.Errorf("encryption_key %s: %w", option, err)
	}
	if key, err := audit.ParseContentKey(value); err == nil {
		return key, nil
	}
	if strings.HasPrefix(option, "{file.") {
		return nil, fmt.Errorf("encryption_key %s: its value is not an encryption key", option)
	}
	path, err := filepath.Abs(strings.TrimSpace(value))
	if err != nil {
		return nil, fmt.Errorf("encryption_key %s: %w", option, err)
	}
	key, err := ReadContent(path)
	if err != nil && strings.Contains(option, "{") {
		// The value may be a mistyped key: an error with its path would show it.
		return nil, fmt.Errorf("encryption_key %s: its value is neither an encryption key nor a file with one", option)
	}
	if err != nil {
		return nil, fmt.Errorf("encryption_key: %w", err)
	}
	return key, nil
}

// MayBeContent reports whether a text is a key in one of the usual encodings of bytes. Taken for the
// name of a file, it would be repeated in an error.
func MayBeContent(text string) bool {
	for _, decode := range []func(string) ([]byte, error){
		base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString, hex.DecodeString,
	} {
		if secret, err := decode(strings.TrimSpace(text)); err == nil && len(secret) == 32 {
			return true
		}
	}
	return false
}

// ReadContent reads the encryption key from a file, which only its owner may be able to read.
func ReadContent(file string) (*audit.ContentKey, error) {
	key, err := Read("the encryption key", file, audit.ParseContentKey)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; `fielato wsfev1 audit new-key %s` makes one", err, file)
	}
	return key, err
}

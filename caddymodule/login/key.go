package login

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/wsaa"
)

// keyName names the key in errors.
const keyName = "the key of the login service"

// keyFile returns the absolute path of the file with the key. The path is also the key in a pool,
// where two spellings of one file must give one key.
func keyFile(option string) (string, error) {
	if option == "" {
		return filepath.Join(caddy.AppDataDir(), "wsfev1", "wsaa.key"), nil
	}
	path, err := directive.ResolvePath(option)
	if err != nil {
		return "", fmt.Errorf("key: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("key: %w", err)
	}
	return path, nil
}

// certificateFile returns the file in which the certificate is published.
func certificateFile(key string) string { return strings.TrimSuffix(key, ".key") + ".crt" }

// openIssuer reads the key, or makes one at the first start.
func openIssuer(file string) (*wsaa.Issuer, error) {
	parse := func(text string) (*wsaa.Issuer, error) { return wsaa.ParseIssuer([]byte(text)) }
	issuer, err := keyfile.Read(keyName, file, parse)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeIssuer(file); err != nil {
			return nil, err
		}
		issuer, err = keyfile.Read(keyName, file, parse)
	}
	return issuer, err
}

// tryKey returns an error if openIssuer would fail with the key of an option. It makes none.
func tryKey(option string) error {
	file, err := keyFile(option)
	if err != nil {
		return err
	}
	_, err = keyfile.Read(keyName, file, func(text string) (*wsaa.Issuer, error) { return wsaa.ParseIssuer([]byte(text)) })
	if errors.Is(err, fs.ErrNotExist) {
		return app.MayMake(file)
	}
	return err
}

func makeIssuer(file string) error {
	issuer, err := wsaa.NewIssuer()
	if err != nil {
		return err
	}
	text, err := issuer.PrivatePEM()
	if err != nil {
		return err
	}
	_, err = keyfile.Make(keyName, file, text) // another process may have been faster
	return err
}

// publish writes the certificate, unless it is there. The service works without.
func publish(issuer *wsaa.Issuer, file string) error {
	text := issuer.CertificatePEM()
	if kept, err := os.ReadFile(file); err == nil && bytes.Equal(kept, text) {
		return nil
	}
	return os.WriteFile(file, text, 0o644) //nolint:gosec // everybody may read a certificate
}

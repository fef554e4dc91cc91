//go:build !unix

package caddytest

import "errors"

func become(string) error { return errors.ErrUnsupported }

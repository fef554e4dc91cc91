//go:build !unix

package caddymodule_test

import "errors"

func become(string) error { return errors.ErrUnsupported }

package caddymodule

import (
	"reflect"

	"github.com/fielato/fielato/wsfev1"
)

var errorBodyShape = wsfev1.ShapeOf(reflect.TypeFor[wsfev1.ErrorBody]())

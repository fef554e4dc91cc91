package jsonline

func AppendText(dst, text []byte) []byte { return appendJSONText(dst, text) }

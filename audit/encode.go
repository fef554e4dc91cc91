package audit

import (
	"encoding/binary"
)

// Which of the two digests are there. A digest of zeros stands for no body.
const (
	hasRequestDigest = 1 << iota
	hasAnswerDigest
)

// AppendSummary appends the summary of the record's form, for a content with this hash: the
// version, a byte, the optional fields that it has where the version says so, the Kind, a byte,
// the fields in the order below, and the hash of the content. Unsigned numbers are varints, signed ones zigzag
// varints, both of minimal length; texts have their length in front; lists their count.
// Time is kept to the microsecond and without its zone, so that it decodes in UTC.
func (r *Record) AppendSummary(dst []byte, content [32]byte) []byte {
	dst, fields := r.appendVersion(dst)
	dst = append(dst, byte(r.Kind))
	dst = appendText(dst, r.ID)
	dst = binary.AppendUvarint(dst, r.Intent)
	if fields&hasIntentLog != 0 {
		dst = appendText(dst, r.IntentLog)
	}
	dst = binary.AppendVarint(dst, r.Time.UnixMicro())
	dst = binary.AppendVarint(dst, int64(r.Duration))
	dst = appendText(dst, r.Node)
	dst = appendText(dst, r.ClientAddress)
	dst = appendText(dst, r.ClientIdentity)

	dst = appendText(dst, r.Operation)
	dst = binary.AppendVarint(dst, int64(r.Cuit))
	dst = binary.AppendVarint(dst, int64(r.PtoVta))
	dst = binary.AppendVarint(dst, int64(r.CbteTipo))
	dst = appendVouchers(dst, r.Vouchers)
	dst = appendText(dst, r.Resultado)

	dst = appendText(dst, r.Decision)
	dst = appendText(dst, r.Outcome)
	dst = appendText(dst, string(r.Certainty))
	dst = binary.AppendUvarint(dst, uint64(len(r.Findings)))
	for i := range r.Findings {
		f := &r.Findings[i]
		dst = appendText(dst, f.Code)
		dst = appendText(dst, f.Severity)
		dst = appendText(dst, f.Pointer)
		dst = appendText(dst, f.Action)
	}

	dst = binary.AppendVarint(dst, int64(r.Status))
	dst = appendText(dst, r.Upstream)
	dst = binary.AppendVarint(dst, r.RequestLength)
	dst = binary.AppendVarint(dst, r.AnswerLength)
	dst = appendMark(dst, r.Fingerprint)
	dst = appendMark(dst, r.IdempotencyKey)
	dst = r.appendOptional(dst, fields)
	return append(dst, content[:]...)
}

// appendContent appends the salt, the texts of the findings and the rest. The findings keep their
// order and have no count.
func (r *Record) appendContent(dst []byte) []byte {
	dst = append(dst, r.Salt[:]...)
	for i := range r.Findings {
		f := &r.Findings[i]
		dst = appendText(dst, f.Text)
		dst = appendText(dst, f.Expected)
		dst = appendText(dst, f.Got)
		dst = appendText(dst, f.Tolerance)
		dst = appendText(dst, f.Difference)
	}
	dst = appendText(dst, r.Detail)
	dst = appendBodies(dst, r.RequestDigest, r.AnswerDigest, r.Request, r.Answer)
	if r.Client != nil {
		dst = appendBodies(dst, r.Client.RequestDigest, r.Client.AnswerDigest, r.Client.Request, r.Client.Answer)
	}
	if r.Service != nil {
		dst = appendBodies(dst, r.Service.RequestDigest, r.Service.AnswerDigest, r.Service.Request, r.Service.Answer)
	}
	return dst
}

// appendBodies appends a byte that says which digests follow, these, and the two bodies.
func appendBodies(dst []byte, requestDigest, answerDigest [32]byte, request, answer []byte) []byte {
	var flags byte
	if requestDigest != ([32]byte{}) {
		flags |= hasRequestDigest
	}
	if answerDigest != ([32]byte{}) {
		flags |= hasAnswerDigest
	}
	dst = append(dst, flags)
	if flags&hasRequestDigest != 0 {
		dst = append(dst, requestDigest[:]...)
	}
	if flags&hasAnswerDigest != 0 {
		dst = append(dst, answerDigest[:]...)
	}
	dst = appendText(dst, request)
	return appendText(dst, answer)
}

func appendVouchers(dst []byte, vouchers []Voucher) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(vouchers)))
	for i := range vouchers {
		v := &vouchers[i]
		dst = binary.AppendVarint(dst, v.CbteDesde)
		dst = binary.AppendVarint(dst, v.CbteHasta)
		dst = appendText(dst, v.Code)
		dst = appendText(dst, v.Expires)
		dst = appendText(dst, v.Resultado)
	}
	return dst
}

// appendMark writes a text that is empty for a mark of zeros.
func appendMark(dst []byte, mark [16]byte) []byte {
	if mark == ([16]byte{}) {
		return append(dst, 0)
	}
	return appendText(dst, mark[:])
}

func appendText[T ~string | []byte](dst []byte, text T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(text)))
	return append(dst, text...)
}

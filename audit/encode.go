package audit

import (
	"encoding/binary"
	"slices"
)

// The first byte of the canonical form is its version. The form is what signatures
// are made over: any change to what Encode writes, for any record, is a new
// version, and Decode keeps reading the old ones. A record is written in the first
// version that can hold it, so that each record has one form.
const (
	firstVersion = 1
	// differenceVersion is the first in which findings have a Difference.
	differenceVersion = 2
	newestVersion     = differenceVersion
)

// version returns the version in which the record is written.
func (r *Record) version() byte {
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Difference != "" }) {
		return differenceVersion
	}
	return firstVersion
}

// Which of the two digests are there. A digest of zeros stands for no body.
const (
	hasRequestDigest = 1 << iota
	hasAnswerDigest
)

// Encode appends the record's canonical form to dst and returns it. Equal records
// have equal forms, different records different ones. Log and Index are not part
// of it: the position says them. Time is kept to the microsecond and without its
// zone, so that it decodes in UTC.
//
// The form: the version and the Kind, a byte each, then the fields in the order
// below. Unsigned numbers are varints, signed ones zigzag varints, both of minimal
// length; texts and bodies have their length in front; lists their count.
func (r *Record) Encode(dst []byte) []byte {
	version := r.version()
	dst = append(dst, version, byte(r.Kind))
	dst = appendText(dst, r.ID)
	dst = binary.AppendUvarint(dst, r.Intent)
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
	dst = appendFindings(dst, r.Findings, version)

	dst = binary.AppendVarint(dst, int64(r.Status))
	dst = appendText(dst, r.Upstream)
	dst = appendText(dst, r.Detail)
	return r.appendBodies(dst)
}

// encodedSize is about what Encode needs; too little costs a copy.
func encodedSize(r *Record) int {
	return 512 + 32*len(r.Vouchers) + 128*len(r.Findings) + len(r.Request) + len(r.Answer)
}

func (r *Record) appendBodies(dst []byte) []byte {
	var flags byte
	if r.RequestDigest != ([32]byte{}) {
		flags |= hasRequestDigest
	}
	if r.AnswerDigest != ([32]byte{}) {
		flags |= hasAnswerDigest
	}
	dst = append(dst, flags)
	if flags&hasRequestDigest != 0 {
		dst = append(dst, r.RequestDigest[:]...)
	}
	if flags&hasAnswerDigest != 0 {
		dst = append(dst, r.AnswerDigest[:]...)
	}
	dst = binary.AppendVarint(dst, r.RequestLength)
	dst = binary.AppendVarint(dst, r.AnswerLength)
	dst = appendText(dst, r.Request)
	return appendText(dst, r.Answer)
}

func appendVouchers(dst []byte, vouchers []Voucher) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(vouchers)))
	for i := range vouchers {
		v := &vouchers[i]
		dst = binary.AppendVarint(dst, v.CbteDesde)
		dst = binary.AppendVarint(dst, v.CbteHasta)
		dst = appendText(dst, v.Code)
		dst = appendText(dst, v.Resultado)
	}
	return dst
}

func appendFindings(dst []byte, findings []Finding, version byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(findings)))
	for i := range findings {
		f := &findings[i]
		dst = appendText(dst, f.Code)
		dst = appendText(dst, f.Severity)
		dst = appendText(dst, f.Pointer)
		dst = appendText(dst, f.Action)
		dst = appendText(dst, f.Text)
		dst = appendText(dst, f.Expected)
		dst = appendText(dst, f.Got)
		dst = appendText(dst, f.Tolerance)
		if version >= differenceVersion {
			dst = appendText(dst, f.Difference)
		}
	}
	return dst
}

func appendText[T string | []byte](dst []byte, text T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(text)))
	return append(dst, text...)
}

package timestamp

import (
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"time"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"
)

// Stamp is a time-stamp whose signature was verified.
type Stamp struct {
	// Time is when the document existed, and Accuracy by how much that may be wrong, 0 if the authority does not say.
	Time     time.Time
	Accuracy time.Duration
	// Authority is the name in the certificate of the signer.
	Authority string
	// Policy is the one under which it was stamped, Serial the authority's number of the stamp.
	Policy asn1.ObjectIdentifier
	Serial *big.Int

	imprint      []byte
	nonce        *big.Int // nil for none
	signer       *x509.Certificate
	certificates []*x509.Certificate
}

// errInfo: the content is signed and nevertheless wrong.
var errInfo = errors.New("the content of the stamp (TSTInfo) is malformed")

// parseInfo reads the content of a token.
func parseInfo(der []byte) (*Stamp, error) {
	s, input := &Stamp{}, cryptobyte.String(der)
	var info, imprint cryptobyte.String
	version := 0
	if !input.ReadASN1(&info, tag.SEQUENCE) || !input.Empty() || !info.ReadASN1Integer(&version) || !info.ReadASN1ObjectIdentifier(&s.Policy) ||
		!info.ReadASN1(&imprint, tag.SEQUENCE) {
		return nil, errInfo
	}
	if version != 1 {
		return nil, fmt.Errorf("the stamp has the version %d: only 1 is known", version)
	}
	if err := s.readImprint(imprint); err != nil {
		return nil, err
	}
	var at cryptobyte.String
	s.Serial = new(big.Int)
	if !info.ReadASN1Integer(s.Serial) || !info.ReadASN1(&at, tag.GeneralizedTime) {
		return nil, errInfo
	}
	var err error
	if s.Time, err = time.Parse(timeForm, string(at)); err != nil || s.Time.Format(timeForm) != string(at) {
		return nil, fmt.Errorf("the time %.40q of the stamp is malformed", []byte(at))
	}
	return s, s.readOptional(info)
}

// timeForm is the one form of GeneralizedTime that RFC 3161 allows: UTC, without zeros at the end of a fraction.
const timeForm = "20060102150405.999999999Z"

// readImprint reads a MessageImprint.
func (s *Stamp) readImprint(imprint cryptobyte.String) error {
	algorithm, ok := readAlgorithm(&imprint)
	if !ok || !imprint.ReadASN1Bytes(&s.imprint, tag.OCTET_STRING) || !imprint.Empty() {
		return errInfo
	}
	if !algorithm.Equal(oidSHA256) {
		return fmt.Errorf("the stamp is for a digest by %s, not by SHA-256", algorithm)
	}
	return nil
}

// readOptional reads the fields behind the time.
func (s *Stamp) readOptional(info cryptobyte.String) error {
	var accuracy, extensions cryptobyte.String
	var precise, extended bool
	var ordering bool
	if !info.ReadOptionalASN1(&accuracy, &precise, tag.SEQUENCE) || precise && !s.readAccuracy(accuracy) {
		return errInfo
	}
	if info.PeekASN1Tag(tag.BOOLEAN) && !info.ReadASN1Boolean(&ordering) {
		return errInfo
	}
	if info.PeekASN1Tag(tag.INTEGER) {
		if s.nonce = new(big.Int); !info.ReadASN1Integer(s.nonce) {
			return errInfo
		}
	}
	if !info.SkipOptionalASN1(constructed(0)) || !info.ReadOptionalASN1(&extensions, &extended, constructed(1)) || !info.Empty() {
		return errInfo
	}
	for !extensions.Empty() {
		var extension, value cryptobyte.String
		var id asn1.ObjectIdentifier
		critical := false
		if !extensions.ReadASN1(&extension, tag.SEQUENCE) || !extension.ReadASN1ObjectIdentifier(&id) ||
			extension.PeekASN1Tag(tag.BOOLEAN) && !extension.ReadASN1Boolean(&critical) ||
			!extension.ReadASN1(&value, tag.OCTET_STRING) || !extension.Empty() {
			return errInfo
		}
		if critical {
			return fmt.Errorf("the stamp has the extension %s, which is critical and unknown", id)
		}
	}
	return nil
}

// readAccuracy reads an Accuracy: seconds, milliseconds and microseconds, each optional.
func (s *Stamp) readAccuracy(accuracy cryptobyte.String) bool {
	const day = 24 * 60 * 60
	var seconds, millis, micros uint64
	if accuracy.PeekASN1Tag(tag.INTEGER) && !accuracy.ReadASN1Integer(&seconds) || seconds > day {
		return false
	}
	for i, fraction := range []*uint64{&millis, &micros} {
		var value cryptobyte.String
		var said bool
		if !accuracy.ReadOptionalASN1(&value, &said, tag.Tag(i).ContextSpecific()) {
			return false
		}
		if said {
			if len(value) > 2 || len(value) == 0 || value[0] > 127 {
				return false
			}
			for _, digit := range value {
				*fraction = *fraction<<8 | uint64(digit)
			}
			if *fraction < 1 || *fraction > 999 {
				return false
			}
		}
	}
	s.Accuracy = time.Duration(seconds)*time.Second + time.Duration(millis)*time.Millisecond + time.Duration(micros)*time.Microsecond
	return accuracy.Empty()
}

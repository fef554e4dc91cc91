package credential

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des" //nolint:gosec // older programs encrypt keys with it, and the file is the operator's
	"crypto/pbkdf2"
	"crypto/sha1" //nolint:gosec // older programs derive keys with it
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509/pkix"
	"encoding/asn1"
	"hash"
)

// encryptedKey is an EncryptedPrivateKeyInfo (RFC 5958) of the scheme PBES2 (RFC 8018).
type encryptedKey struct {
	Scheme struct {
		Algorithm  asn1.ObjectIdentifier
		Parameters asn1.RawValue
	}
	Data []byte
}

// scheme is what PBES2 says about itself.
type scheme struct {
	Derivation, Encryption pkix.AlgorithmIdentifier
}

// derivation is how PBKDF2 makes a key of a passphrase. Without a digest it is SHA-1.
type derivation struct {
	Salt       []byte
	Iterations int
	KeyLength  int                      `asn1:"optional"`
	Digest     pkix.AlgorithmIdentifier `asn1:"optional"`
}

// maxIterations bounds how long a passphrase is worked on: about ten seconds.
const maxIterations = 20_000_000

var (
	oidPBES2  = "1.2.840.113549.1.5.13"
	oidPBKDF2 = "1.2.840.113549.1.5.12"
	digests   = map[string]func() hash.Hash{
		"": sha1.New, "1.2.840.113549.2.7": sha1.New, "1.2.840.113549.2.9": sha256.New,
		"1.2.840.113549.2.10": sha512.New384, "1.2.840.113549.2.11": sha512.New,
	}
	ciphers = map[string]struct {
		length int
		make   func(key []byte) (cipher.Block, error)
	}{
		"1.2.840.113549.3.7":      {24, des.NewTripleDESCipher},
		"2.16.840.1.101.3.4.1.2":  {16, aes.NewCipher},
		"2.16.840.1.101.3.4.1.22": {24, aes.NewCipher},
		"2.16.840.1.101.3.4.1.42": {32, aes.NewCipher},
	}
)

// openPKCS8 decrypts a private key in PKCS #8. The libraries that do it end the process with damaged
// data, or take every digest that they do not know for SHA-1.
func openPKCS8(der, passphrase []byte) ([]byte, error) {
	var outer encryptedKey
	if rest, err := asn1.Unmarshal(der, &outer); err != nil || len(rest) > 0 {
		return nil, errDamaged
	}
	var inner scheme
	if outer.Scheme.Algorithm.String() != oidPBES2 {
		return nil, ErrEncryption
	}
	if _, err := asn1.Unmarshal(outer.Scheme.Parameters.FullBytes, &inner); err != nil {
		return nil, errDamaged
	}
	var how derivation
	if inner.Derivation.Algorithm.String() != oidPBKDF2 {
		return nil, ErrEncryption
	}
	if _, err := asn1.Unmarshal(inner.Derivation.Parameters.FullBytes, &how); err != nil {
		return nil, errDamaged
	}
	digest, knownDigest := digests[how.Digest.Algorithm.String()]
	block, knownCipher := ciphers[inner.Encryption.Algorithm.String()]
	if !knownDigest || !knownCipher {
		return nil, ErrEncryption
	}
	if how.Iterations < 1 || how.Iterations > maxIterations {
		return nil, errDamaged
	}
	key, err := pbkdf2.Key(digest, string(passphrase), how.Salt, how.Iterations, block.length)
	if err != nil {
		return nil, ErrEncryption
	}
	made, err := block.make(key)
	if err != nil {
		return nil, ErrEncryption
	}
	return openBlocks(made, inner.Encryption.Parameters, outer.Data)
}

// openBlocks decrypts in the mode CBC, and takes the padding off.
func openBlocks(block cipher.Block, parameters asn1.RawValue, data []byte) ([]byte, error) {
	size := block.BlockSize()
	var vector []byte
	if _, err := asn1.Unmarshal(parameters.FullBytes, &vector); err != nil || len(vector) != size || len(data) == 0 || len(data)%size != 0 {
		return nil, errDamaged
	}
	plain := make([]byte, len(data))
	cipher.NewCBCDecrypter(block, vector).CryptBlocks(plain, data)
	padding := int(plain[len(plain)-1])
	if padding < 1 || padding > size {
		return nil, ErrPassphrase
	}
	for _, b := range plain[len(plain)-padding:] {
		if int(b) != padding {
			return nil, ErrPassphrase
		}
	}
	return plain[:len(plain)-padding], nil
}

package backend

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/fielato/fielato/wsfev1"
)

// ReadRegister reads a register from YAML, which includes JSON; errors refer to it as name. An
// empty text is a register without entries. Errors name the line and what to write there, up
// to maxRegisterErrors of them at once.
func ReadRegister(name string, text []byte) (*Register, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	r := &registerInFile{Register: Register{
		taxpayers: map[wsfev1.CUIT]*Taxpayer{}, remitos: map[Voucher]*Remito{}, rejectedFCE: map[IssuedVoucher]bool{},
	}}
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return &r.Register, nil
	} else if err != nil {
		return nil, notYAML(name, err)
	}
	f := &registerFile{name: name}
	readMapping(f, document.Content[0], r, registerMembers)
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		f.fault(&second, "a second document: write one")
	} else if !errors.Is(err, io.EOF) {
		return nil, notYAML(name, err)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return &r.Register, nil
}

// notYAML names the line where the text is not YAML: package yaml names the line before for
// some faults.
func notYAML(name string, err error) error {
	if where, ok := strings.CutPrefix(err.Error(), "yaml: line "); ok {
		return fmt.Errorf("%s: not YAML, at or just after line %s", name, where)
	}
	return fmt.Errorf("%s: not YAML: %w", name, err)
}

// registerInFile is the register that is being read.
type registerInFile struct{ Register }

var registerMembers = memberReaders[registerInFile]{
	"taxpayers": func(f *registerFile, at *yaml.Node, r *registerInFile) {
		readList(f, at, func(item *yaml.Node) { r.readTaxpayer(f, item) })
	},
	"remitos": func(f *registerFile, at *yaml.Node, r *registerInFile) {
		readList(f, at, func(item *yaml.Node) { r.readRemito(f, item) })
	},
	"rejected_fce": func(f *registerFile, at *yaml.Node, r *registerInFile) {
		readList(f, at, func(item *yaml.Node) { r.readRejected(f, item) })
	},
}

var remitoMembers = memberReaders[Remito]{
	"type":          readNumber(1, 999, func(m *Remito) *int32 { return &m.CbteTipo }),
	"point_of_sale": readNumber(0, maxPtoVta, func(m *Remito) *int32 { return &m.PtoVta }),
	"number":        readNumber(1, MaxNumber, func(m *Remito) *int64 { return &m.Nro }),
	"receiver":      readCUIT(func(m *Remito) *wsfev1.CUIT { return &m.Receiver }),
	"unconfirmed":   readFlag(func(m *Remito) *bool { return &m.Unconfirmed }),
	"used":          readFlag(func(m *Remito) *bool { return &m.Used }),
}

func (r *registerInFile) readRemito(f *registerFile, at *yaml.Node) {
	remito := &Remito{}
	faults := len(f.faults)
	readMapping(f, at, remito, remitoMembers, "type", "point_of_sale", "number")
	switch {
	case len(f.faults) > faults:
	case !wsfev1.IsRemito(remito.CbteTipo):
		f.fault(at, "type %d is not a delivery note: write 88, 91, 988, 990, 991 or 993 to 997", remito.CbteTipo)
	case remito.Receiver != 0 && !remito.Receiver.Valid():
		f.fault(at, "the check digit of receiver %d is wrong: write %s", remito.Receiver, repairedCUIT(remito.Receiver))
	case r.remitos[remito.Voucher] != nil:
		f.fault(at, "remito %d %d-%d is there twice: write it once", remito.CbteTipo, remito.PtoVta, remito.Nro)
	default:
		r.remitos[remito.Voucher] = remito
	}
}

var rejectedMembers = memberReaders[IssuedVoucher]{
	"cuit":          readCUIT(func(m *IssuedVoucher) *wsfev1.CUIT { return &m.Cuit }),
	"type":          readNumber(1, 999, func(m *IssuedVoucher) *int32 { return &m.CbteTipo }),
	"point_of_sale": readNumber(1, maxPtoVta, func(m *IssuedVoucher) *int32 { return &m.PtoVta }),
	"number":        readNumber(1, MaxNumber, func(m *IssuedVoucher) *int64 { return &m.Nro }),
}

func (r *registerInFile) readRejected(f *registerFile, at *yaml.Node) {
	voucher := IssuedVoucher{}
	faults := len(f.faults)
	readMapping(f, at, &voucher, rejectedMembers, "cuit", "type", "point_of_sale", "number")
	switch {
	case len(f.faults) > faults:
	case !wsfev1.IsFCE(voucher.CbteTipo):
		f.fault(at, "type %d is not a credit invoice: write 201, 206 or 211, or a note of one", voucher.CbteTipo)
	case !voucher.Cuit.Valid():
		f.fault(at, "the check digit of cuit %d is wrong: write %s", voucher.Cuit, repairedCUIT(voucher.Cuit))
	case r.rejectedFCE[voucher]:
		f.fault(at, "rejected_fce %d %d-%d is there twice: write it once", voucher.CbteTipo, voucher.PtoVta, voucher.Nro)
	default:
		r.rejectedFCE[voucher] = true
	}
}

// repairedCUIT returns the CUIT with the first ten digits of another and a right check digit.
func repairedCUIT(cuit wsfev1.CUIT) string {
	for last := range wsfev1.CUIT(10) {
		if right := cuit/10*10 + last; right.Valid() {
			return right.String()
		}
	}
	return "another one: no check digit fits the first ten digits"
}

package soap_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// sizes are the lots that are measured: one invoice, and the largest lot of the service.
var sizes = []int{1, 250}

// compared runs ours as the benchmark, and then what package xml does for the same for a moment.
// The metric "times" is how much longer that takes. Both are processor time, which what else the
// machine does changes less than the time of the clock.
func compared(b *testing.B, size int, ours, theirs func() error) {
	b.Helper()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	began := testrun.ProcessorTime()
	for b.Loop() {
		if err := ours(); err != nil {
			b.Fatal(err)
		}
	}
	each := float64(testrun.ProcessorTime()-began) / float64(b.N)
	b.StopTimer()
	n, began := 0, testrun.ProcessorTime()
	for n == 0 || testrun.ProcessorTime()-began < 200*time.Millisecond {
		if err := theirs(); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(each, "cpu-ns/op")
	b.ReportMetric(float64(testrun.ProcessorTime()-began)/float64(n)/each, "times")
}

func BenchmarkDecode(b *testing.B) {
	op := operation(b, "FECAESolicitar")
	for _, n := range sizes {
		body, err := soap.AppendRequest(nil, soap.V11, op, lot(b, n))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			compared(b, len(body), func() error {
				e, err := soap.Open(body, "utf-8")
				if err != nil {
					return err
				}
				if found := e.Decode(op).Findings; len(found) > 0 {
					return fmt.Errorf("%v", brief(found))
				}
				return nil
			}, func() error { return xml.Unmarshal(body, new(xmlRequest)) })
		})
	}
}

func BenchmarkScan(b *testing.B) {
	op := operation(b, "FECAESolicitar")
	for _, n := range sizes {
		body, err := soap.AppendRequest(nil, soap.V11, op, lot(b, n))
		if err != nil {
			b.Fatal(err)
		}
		var s xmlscan.Scanner
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			compared(b, len(body), func() error {
				s.Reset(body, []string{soap.Namespace})
				for {
					if kind, err := s.Next(); err != nil || kind == xmlscan.EOF {
						return err
					}
				}
			}, func() error {
				d := xml.NewDecoder(bytes.NewReader(body))
				for {
					if token, _ := d.Token(); token == nil {
						return nil
					}
				}
			})
		})
	}
}

func BenchmarkEncodeAnswer(b *testing.B) {
	op := operation(b, "FECAESolicitar")
	info := soap.InfoAt("Pruebas", time.Unix(1_795_000_000, 0), "7.0.0.1")
	for _, n := range sizes {
		answer := &wsfev1.FECAESolicitarAnswer{FeCabResp: &wsfev1.FeCabResp{Cuit: 20267565393, Resultado: "A"}, FeDetResp: &wsfev1.FeCAEDetResp{}}
		for range n {
			d := wsfev1.FECAEDetResponse{DetResponse: wsfev1.DetResponse{Concepto: 1, DocTipo: 80, DocNro: 30500010912, CbteFch: "20261120", Resultado: "A"}, CAE: "71263951827760", CAEFchVto: "20261130"}
			d.Observe(10063, "DocNro no está inscripto en condición activa")
			answer.FeDetResp.FECAEDetResponse = append(answer.FeDetResp.FECAEDetResponse, d)
		}
		benchmarkEncode(b, n, answer, func(buffer []byte) ([]byte, error) { return soap.AppendAnswer(buffer, soap.V11, op, answer, info) })
	}
}

func BenchmarkEncodeRequest(b *testing.B) {
	op := operation(b, "FECAESolicitar")
	for _, n := range sizes {
		request := lot(b, n)
		benchmarkEncode(b, n, request, func(buffer []byte) ([]byte, error) { return soap.AppendRequest(buffer, soap.V11, op, request) })
	}
}

func benchmarkEncode(b *testing.B, n int, message any, encode func([]byte) ([]byte, error)) {
	b.Helper()
	buffer, err := encode(nil)
	if err != nil {
		b.Fatal(err)
	}
	size := len(buffer)
	b.Run(fmt.Sprint(n), func(b *testing.B) {
		compared(b, size, func() error {
			var err error
			buffer, err = encode(buffer[:0])
			return err
		}, func() error {
			_, err := xml.Marshal(message)
			return err
		})
	})
}

func BenchmarkParseAnswer(b *testing.B) {
	op := operation(b, "FECAESolicitar")
	body := files(b, "answers")["solicitar-approved"]
	compared(b, len(body), func() error {
		_, err := soap.Parse(op, body, "utf-8")
		return err
	}, func() error { return xml.Unmarshal(body, new(struct{ Body struct{} })) })
}

// xmlRequest is a FECAESolicitar as package xml reads it.
type xmlRequest struct {
	Body struct {
		FECAESolicitar struct {
			Auth struct {
				Token, Sign string
				Cuit        int64
			}
			FeCAEReq struct {
				FeCabReq struct{ CantReg, PtoVta, CbteTipo int32 }
				FeDetReq struct{ FECAEDetRequest []xmlInvoice }
			}
		}
	}
}

type xmlInvoice struct {
	Concepto, DocTipo                                           int32
	DocNro, CbteDesde, CbteHasta                                int64
	CbteFch                                                     string
	ImpTotal, ImpTotConc, ImpNeto, ImpOpEx, ImpTrib, ImpIVA     float64
	FchServDesde, FchServHasta, FchVtoPago, MonId, CanMisMonExt string
	MonCotiz                                                    float64
	CondicionIVAReceptorId                                      *int32
	CbtesAsoc                                                   struct {
		CbteAsoc []struct {
			Tipo, PtoVta  int32
			Nro           int64
			Cuit, CbteFch string
		}
	}
	Tributos struct {
		Tributo []struct {
			Id                     int16
			Desc                   string
			BaseImp, Alic, Importe float64
		}
	}
	Iva struct {
		AlicIva []struct {
			Id               int32
			BaseImp, Importe float64
		}
	}
}

package soap

import (
	"time"

	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// Info is the header FEHeaderInfo of an answer: which server answered, when, in which release. The
// zero Info is no header.
type Info struct {
	Ambiente, Fecha, ID string
}

// InfoAt returns the header of an answer that is given at this moment.
func InfoAt(ambiente string, at time.Time, id string) Info {
	// The service writes a second in seven digits and leaves out the zeros that end them.
	fecha := at.In(wsfev1.Argentina).Truncate(100).Format("2006-01-02T15:04:05.9999999-07:00")
	return Info{Ambiente: ambiente, Fecha: fecha, ID: id}
}

// read reads the header, whose start tag was read.
func (i *Info) read(s *xmlscan.Scanner) error {
	for {
		kind, err := nextTag(s)
		if err != nil || kind == xmlscan.End {
			return err
		}
		name := string(s.Local())
		text, err := s.Content()
		if err != nil {
			return err
		}
		switch name {
		case "ambiente":
			i.Ambiente = string(text)
		case "fecha":
			i.Fecha = string(text)
		case "id":
			i.ID = string(text)
		}
	}
}

func (i Info) append(b []byte) []byte {
	if i == (Info{}) {
		return b
	}
	b = append(b, `<soap:Header><FEHeaderInfo xmlns="`+Namespace+`">`...)
	b = appendElement(b, "ambiente", i.Ambiente)
	b = appendElement(b, "fecha", i.Fecha)
	b = appendElement(b, "id", i.ID)
	return append(b, `</FEHeaderInfo></soap:Header>`...)
}

// appendElement appends an element of text.
func appendElement(b []byte, name, text string) []byte {
	if text == "" {
		return append(append(append(b, '<'), name...), " />"...)
	}
	b = append(append(append(b, '<'), name...), '>')
	b = xmlscan.AppendText(b, text)
	return append(append(append(b, "</"...), name...), '>')
}

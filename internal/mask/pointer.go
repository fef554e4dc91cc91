package mask

import "strings"

// Pointer is Redactor.Pointer. It takes the path of an element in a message in SOAP too, whose operation has a
// longer name than any member.
func (c *Credentials) Pointer(pointer string) string {
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		step = unescapePointer.Replace(step)
		if kept := c.Text(step); kept != step {
			steps[i] = kept
		} else if len(step) > maxName && !messageNames[step] {
			steps[i] = c.redactor.Fingerprint([]byte(step))
		}
	}
	return strings.Join(steps, "/")
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// Together replaces, in JSON Pointers and texts that are about one document, each step and each text that takes part
// in a credential: what one of them quotes may be too short to be one.
func (c *Credentials) Together(pointers, texts []*string) {
	if len(c.texts) == 0 {
		return
	}
	var pieces []piece
	walkTogether(pointers, texts, func(text string, kind pieceKind) string {
		pieces = append(pieces, piece{text: []byte(text), kind: kind})
		return text
	})
	c.listen()
	for _, p := range pieces {
		c.joined.add(c, p.text, p.kind)
	}
	if !c.heard() {
		return
	}
	c.echoes(pieces)
	walkTogether(pointers, texts, func(text string, _ pieceKind) string {
		p := pieces[0]
		pieces = pieces[1:]
		if p.echo {
			return c.redactor.Fingerprint(p.text)
		}
		return text
	})
}

// walkTogether puts in the place of each text, and of each step that is no name of the interface, what a function
// makes of it.
func walkTogether(pointers, texts []*string, replace func(text string, kind pieceKind) string) {
	for _, pointer := range pointers {
		steps := strings.Split(*pointer, "/")
		for i, step := range steps {
			if step == "" || members[step] != nil || isFigure([]byte(step)) {
				continue
			}
			text := unescapePointer.Replace(step)
			if kept := replace(text, namePiece); kept != text {
				steps[i] = kept
			}
		}
		*pointer = strings.Join(steps, "/")
	}
	for _, text := range texts {
		if *text != "" {
			*text = replace(*text, kindOf([]byte(*text)))
		}
	}
}

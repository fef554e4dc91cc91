package xmlscan

// Skip reads to the end of the element whose start tag was read.
func (s *Scanner) Skip() error { return s.Leave(s.Depth()) }

// Leave reads to the end of the open element of a depth.
func (s *Scanner) Leave(depth int) error {
	for s.Depth() >= depth {
		if _, err := s.Next(); err != nil {
			return err
		}
	}
	return nil
}

// Content reads the text of the element whose start tag was read, to its end tag, with the texts of
// the elements within it.
func (s *Scanner) Content() ([]byte, error) {
	var text []byte
	for depth := s.Depth(); s.Depth() >= depth; {
		kind, err := s.Next()
		if err != nil {
			return nil, err
		}
		if kind == Text {
			text = append(text, s.Text(nil)...)
		}
	}
	return text, nil
}

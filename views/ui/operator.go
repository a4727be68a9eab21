package ui

// Operator is who runs this hub, as far as they have said. Every field may be empty.
type Operator struct {
	Email string   // where questions are answered
	Phone string   // as people write it
	Text  string   // one line more, such as when somebody answers
	Legal []string // the pages that the operator has written: terms, privacy, imprint
}

// Reached reports whether there is a way to reach the operator.
func (o Operator) Reached() bool { return o.Email != "" || o.Phone != "" }

// Has reports whether the operator has written a page.
func (o Operator) Has(page string) bool {
	for _, p := range o.Legal {
		if p == page {
			return true
		}
	}
	return false
}

// Tel is the address that dials Phone.
func (o Operator) Tel() string {
	digits := []byte("tel:")
	for i, c := range []byte(o.Phone) {
		if c >= '0' && c <= '9' || c == '+' && i == 0 {
			digits = append(digits, c)
		}
	}
	return string(digits)
}

// LegalPath is where one of the operator's pages is.
func LegalPath(page string) string { return "/" + page }

package redact

// base32Seed says whether b has the alphabet and a length that seeds of one-time passwords have.
func base32Seed(b []byte) bool {
	for _, c := range b {
		if class[c]&clsUpper == 0 && (c < '2' || c > '7') {
			return false
		}
	}
	return len(b) >= 16 && len(b)%8 == 0 && varied(b)
}

// cardCode says whether a name is that of the three digits on the back of a card.
func cardCode(name []byte) bool { return hasFold(name, "cv") || hasFold(name, "pin") }

func isPin(b []byte) bool { return len(b) >= 3 && len(b) <= 10 && isDigits(b) }

package leakscan

// alphabet is the bytes that a code is written in.
type alphabet [256]bool

func alphabetOf(letters string) (a alphabet) {
	for i := range len(letters) {
		a[letters[i]] = true
	}
	return a
}

var (
	spaces    = alphabetOf(" \t\n\f\r")
	sixties   = alphabetOf(alnum + "+/_-")
	thirties  = alphabetOf(letters + "234567")
	hexDigits = alphabetOf("0123456789abcdefABCDEF")
	hexGaps   = alphabetOf(" \t\n\f\r:,;-")
)

// from is where the run of this alphabet that begins at i ends.
func (a *alphabet) from(b []byte, i int) int {
	for i < len(b) && a[b[i]] {
		i++
	}
	return i
}

// runs finds what has at least first letters in a row, with the words of at least next letters that follow after spaces. With
// next 0 none follow.
func (a *alphabet) runs(b []byte, first, next int) (all [][]byte) {
	for i := 0; i < len(b); {
		end := a.from(b, i)
		if end-i < first {
			i = end + 1
			continue
		}
		for next > 0 {
			word := spaces.from(b, end)
			more := a.from(b, word)
			if word == end || more-word < next {
				break
			}
			end = more
		}
		all = append(all, b[i:end])
		i = end
	}
	return all
}

// hexRuns finds six or more bytes in hex: each may have a mark before it and two signs between it and the next.
func hexRuns(b []byte) (all [][]byte) {
	for i := 0; i < len(b); {
		n, end := 0, i
		for ; ; n++ {
			at := end + hexMark(b[end:])
			if at+2 > len(b) || !hexDigits[b[at]] || !hexDigits[b[at+1]] {
				break
			}
			for end = at + 2; end < len(b) && end < at+4 && hexGaps[b[end]]; {
				end++
			}
		}
		if n < 6 {
			i++
			continue
		}
		all = append(all, b[i:end])
		i = end
	}
	return all
}

// hexMark is the length of the mark that b begins with.
func hexMark(b []byte) int {
	switch {
	case len(b) > 1 && (b[0] == '0' || b[0] == '\\') && b[1] == 'x':
		return 2
	case len(b) > 0 && b[0] == '%':
		return 1
	}
	return 0
}

// hexOnly leaves out what stands between the digits.
func hexOnly(b []byte) string {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		if n := hexMark(b[i:]); n > 0 {
			i += n
			continue
		}
		if hexDigits[b[i]] {
			out = append(out, b[i])
		}
		i++
	}
	return string(out)
}

// tight leaves out blanks and ends of lines.
func tight(b []byte) string {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		if !spaces[c] {
			out = append(out, c)
		}
	}
	return string(out)
}

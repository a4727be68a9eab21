package redact

// dull says whether nothing that was decoded to make out can be part of something encoded: then out shows known secrets
// and forms that its source did not, but no more runs of base64 or digits.
func (u *units) dull(out []byte) bool {
	for _, t := range u.all {
		if t.to == t.toEnd {
			return false // what stood beside it has moved together
		}
		for i := int(t.to); i < int(t.toEnd); i++ {
			if k := class[out[i]]; k&clsDull == 0 && (k&clsSpace == 0 || out[i] == 0 || !parts(out, i)) {
				return false
			}
		}
	}
	return true
}

// parts says whether the whitespace at i has nothing on one of its sides that could go on on the other.
func parts(out []byte, i int) bool {
	low, high := i, i+1
	for low > 0 && class[out[low-1]]&clsSpace != 0 {
		low--
	}
	for high < len(out) && class[out[high]]&clsSpace != 0 {
		high++
	}
	if low == 0 || high == len(out) {
		return false
	}
	left, right := out[low-1], out[high]
	if class[left]&class[right]&clsPair != 0 || left == '=' {
		return false
	}
	return class[left]&class[right]&clsBase64 == 0 || runAround(out, low, high) < minRun
}

// runAround counts the characters of base64 before low and from high on, up to the length of a run that matters.
func runAround(out []byte, low, high int) (n int) {
	for low > 0 && n < minRun && class[out[low-1]]&clsBase64 != 0 {
		low, n = low-1, n+1
	}
	for high < len(out) && n < minRun && class[out[high]]&clsBase64 != 0 {
		high, n = high+1, n+1
	}
	return n
}

package redact

// leastBytes is how many numbers a list has that can be a key.
const leastBytes = 16

// byteList reads the list of bytes that is the value of a name: network_key: [12, 203, …].
func byteList(text []byte, i int) (value, bool) {
	at := skipAny(text, i, 12, "\"'] :=\t\r\n")
	if at >= len(text) || at == i || !among("[{(", text[at]) {
		return value{}, false
	}
	start := skipAny(text, at+1, 60, " \t\r\n-")
	end, n := start, 0
	for k := start; ; n++ {
		d := k
		if hasFold(text[k:], "0x") {
			k += 2
		}
		for k < len(text) && k-d < 5 && isHex(text[k]) {
			k++
		}
		if k == d || k-d > 4 {
			return value{}, false
		}
		end = k
		if k = skipAny(text, k, 60, " \t\r\n"); k >= len(text) || text[k] != ',' {
			break
		}
		if k = skipAny(text, k+1, 60, " \t\r\n"); k < len(text) && among("])}", text[k]) {
			break
		}
	}
	return value{start: start, end: end}, n+1 >= leastBytes
}

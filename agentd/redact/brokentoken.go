package redact

import "bytes"

// splitWords say that what follows was too long for its line.
const splitWords = `two lines|long lines|over lines|several lines|zwei zeilen|mehrere zeilen|umgebrochen|deux lignes|dos líneas|due righe|twee regels|dwie linijki|två rader|to linjer|glue it|glue them|line break in it|wrapped it`

// brokenToken finds a token whose parts stand on two lines, behind a sentence that says so.
func brokenToken(text []byte, i, n int, add func(span)) {
	start := skipAny(text, lineEnd(text, i+n), 4, "\r\n>")
	stop := lineEnd(text, start)
	for range 3 {
		next := skipAny(text, stop, 2, "\r\n")
		end := lineEnd(text, next)
		one, two := bytes.TrimSpace(text[start:stop]), bytes.TrimSpace(text[next:max(next, end)])
		if joint := append(bytes.Clone(one), two...); tokenLine(one) && tokenLine(two) && hasDigit(joint) && (machineMade(joint) || hasDigit(one) && mixedCase(joint) && !wordy(joint)) {
			add(span{start, next + len(two), -1, kindVendor})
			return
		}
		start, stop = next, end
	}
}

// tokenLine says whether a line is a part of a token and nothing else.
func tokenLine(b []byte) bool {
	for _, c := range b {
		if !isWord(c) && !among("-.+/=", c) {
			return false
		}
	}
	return len(b) >= 8 && len(b) <= 120
}

// quotedRows finds a token of three parts that mail broke into lines, each behind a sign of quotation.
func quotedRows(text []byte, i, _ int, add func(span)) {
	from := lineStart(text, i)
	lead := text[from:i]
	if i > 0 && isWord(text[i-1]) || len(lead) > 4 || len(bytes.Trim(lead, "> ")) > 0 {
		return
	}
	end := lineEnd(text, i)
	dots, last := bytes.Count(text[i:end], []byte(".")), end
	for row := 0; row < quotedLines && end < len(text) && tokenLine(bytes.TrimSpace(text[i:last])); row++ {
		start := end + 1
		end = lineEnd(text, start)
		line, ok := bytes.CutPrefix(bytes.TrimRight(text[start:end], " \r"), lead)
		if !ok || !tokenLine(line) && !tokenTail(line) {
			break
		}
		dots += bytes.Count(line, []byte("."))
		if i = start + len(lead); dots <= 2 {
			last = i + len(line)
		}
	}
	if first := from + len(lead); dots == 2 && last > lineEnd(text, first) {
		add(span{first, last, -1, kindVendor})
	}
}

// quotedLines is how many lines of such a token are read.
const quotedLines = 24

// tokenTail says whether a line is the short end of a token.
func tokenTail(b []byte) bool {
	return len(b) > 0 && len(b) < 8 && tokenLine(append([]byte("12345678"), b...)) && hasDigit(b)
}

// concatenated finds a literal that a program puts together of parts.
func concatenated(text []byte, i, n int, add func(span)) {
	quote := text[i]
	if text[i+n-1] == quote {
		n--
	}
	start := i
	for start > 0 && i-start < maxQuoted && text[start-1] != quote && text[start-1] != '\n' {
		start--
	}
	at := skipAny(text, i+n, 40, " \t\r\n")
	if start == 0 || text[start-1] != quote || at >= len(text) || text[at] != quote {
		return
	}
	stop := quotedEnd(text, at+1, string(quote))
	if stop < 0 {
		return
	}
	joint := append(bytes.Clone(text[start:i]), text[at+1:stop]...)
	from, to := nameAround(text, skipName(text, start-1), skipName(text, start-1))
	how := strengthOf(text[from:to])
	if solid := bytes.IndexByte(joint, ' ') < 0; solid && len(joint) >= 16 && len(text[start:i]) >= 4 && how >= weak && how != pin && machineMade(joint) {
		add(span{start, stop, -1, kindToken})
	}
}

// skipName is where the name ends that is given what stands at i.
func skipName(text []byte, i int) int {
	for i > 0 && among(" :=(\"'", text[i-1]) {
		i--
	}
	return i
}

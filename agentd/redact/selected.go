package redact

import "bytes"

// selected finds the secrets of the rows below a query that asks for them, when nothing but a sign stands between columns.
func selected(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i)
	from := bytes.Index(bytes.ToLower(text[i:min(end, i+300)]), []byte(" from "))
	if from < n {
		return
	}
	columns := bytes.Split(text[i+n:i+from], []byte(","))
	wanted := map[int]strength{}
	for k, c := range columns {
		if how := strengthOf(bytes.Trim(c, " \"`")); how >= token {
			wanted[k] = how
		}
	}
	for row := 0; row < maxRows && len(wanted) > 0 && end < len(text); row++ {
		line := end + 1
		end = lineEnd(text, line)
		sign := byte('|')
		if bytes.IndexByte(text[line:end], '\t') >= 0 {
			sign = '\t'
		}
		if bytes.Count(text[line:end], []byte{sign}) != len(columns)-1 || end == line {
			return
		}
		for k, how := range wanted {
			cell(text, line, end, sign, k, how, add)
		}
	}
}
